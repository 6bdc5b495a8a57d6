"""Search on SQLite, over FTS5 tables.

`terms` defines which terms of a text are indexed; `index` updates the index with the records. `plan` tries strategies
in order of cost until one finds enough: `candidate_sort`, `credits_walk`, `period_walk`, `full_scan`, and the walk of
`usage/search/order_walk.py`. The index gives `candidates`; the comparison with LIKE decides.
"""
