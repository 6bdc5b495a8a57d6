"""Files that services give their users, whose rows have a form of their own (docs/sources/files.md).

`forms` has all of them: those of calls (`cursor`, `copilot_premium_requests`, `openrouter`), and those of sums of days
(`copilot_credits`, `openai`, `anthropic`). `form` is what one is, `reader` reads rows by one.
"""
