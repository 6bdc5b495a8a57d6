"""Where calls come from: each kind of source in a folder of its own, behind `source` (docs/sources.md).

`kinds` has them by name: `codebuddy`, `litellm`, `new_api`, `openrouter`, `file`, and `billing` for those of bills,
`openai_costs` and `anthropic_usage`. `keyed` is what kinds share that are asked with a key, `addresses` reads where,
`over_http` asks; `spacing` keeps requests to one host apart.
"""
