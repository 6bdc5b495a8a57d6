"""Search in prompts.

`terms` defines which terms of a text are indexed; `index` updates the index with the records.

A search is a `query`: its conditions, and the comparison that decides. `plan` tries strategies in order of cost until
one finds enough: `candidate_sort`, `order_walk`, `credits_walk`, `period_walk` and `full_scan`. The index gives
`candidates`; the comparison with LIKE decides (docs/decisions.md#search).
"""
