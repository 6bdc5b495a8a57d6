"""Files that services give their users, whose rows have a form of their own (docs/sources/files.md).

`forms` has all of them: `cursor`, `copilot`, `openrouter`. `form` is what one is, `reader` reads rows by one.
"""
