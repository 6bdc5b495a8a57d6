"""Budgets: credits that an account means to spend in a day, a week or a month (docs/api.md#budgets).

`stored_budgets` lists, makes, changes and deletes them for `api`. `spending` compares each with what was spent, in the
days that `periods` computes.
"""
