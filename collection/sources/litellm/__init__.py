"""The spend logs of a LiteLLM proxy (docs/sources/litellm.md).

`reader` asks for pages of its log, `rows` turns them into records, `failures` classifies bad answers. `traits` says
what it can give, `simulator` plays it.
"""
