"""Bills of a month: what archives of bills alone hold (docs/api.md#bills).

`api` answers with `bills_of_month`, the sums of each day and model.
"""
