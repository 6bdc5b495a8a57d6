"""Budgets: credits that an account means to spend in a day, a week or a month (docs/api.md#budgets)."""
