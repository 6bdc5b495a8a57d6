"""The generations of an account at OpenRouter (docs/sources/openrouter.md).

`reader` lists them and asks for each, `rows` turns them into records and the daily activity into bills, `failures`
classifies bad answers. `traits` says what it can give, `simulator` plays it.
"""
