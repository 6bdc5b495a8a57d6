"""Where an account's credits are going: the end of the month, and when a sum will be used up.

`known_days` has the archived days that a forecast is based on, `likely_sums` computes from them what will probably be
spent, and `month_end` answers with the sum of the month (docs/api.md#forecast).
"""
