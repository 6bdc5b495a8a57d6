"""Reads of an account's records: one module for each question.

A view parses the address into `RecordFilters` (`usage/filters.py`). `summary`, `daily_series`, `dimensions`, `trends`
and `comparison` answer with sums, from `usage/rollups`; `list_parts` finds the records of a part of a list by
`usage/record_lists`, or by `usage/search` where a text is looked for; `queries` has what several of these ask.
`usage/record_payloads.py` and `short_key_form` shape records as the API has them. `unknown_purposes` and `earlier_days`
are parts of several answers.
"""
