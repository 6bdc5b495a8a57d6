"""Search in prompts.

A search is a `query`. `plan` finds the matches, and `order_walk` finds them without the index; `engine_index` keeps
what leads to them, an `entry` for each prompt. Plan and index are those of the store's engine, in `sqlite` or
`postgres`. On both, an index gives candidates and the comparison of `usage/prompt_match.py` decides, so the results are
the same (docs/decisions/search.md).
"""
