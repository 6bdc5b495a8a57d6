"""Where calls come from: each kind of source in a folder of its own, behind `source` (docs/sources.md).

`kinds` has them by name, `codebuddy` is one; `spacing` keeps requests to one host apart.
"""
