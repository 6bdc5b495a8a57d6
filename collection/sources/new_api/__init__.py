"""The call log of an account on a gateway of the new-api and one-api family (docs/sources/new-api.md).

`reader` reads windows of the log, `rows` turns its rows into records, `failures` classifies bad answers. `traits` says
what it can give, `simulator` plays it.
"""
