"""Search in prompts.

`terms` says what the index holds of a text, and `index` keeps it in step with the records.

A search is a `query`: its conditions, and the comparison that decides. `plan` tries strategies in order of their cost
until one finds enough: `candidate_sort`, `order_walk`, `credits_walk`, `period_walk` and `full_scan`. The index gives
`candidates`; the comparison with LIKE has the last word.
"""
