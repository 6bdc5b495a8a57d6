"""Search in prompts.

`terms` says what the index holds of a text, `index` keeps it in step with the records, and `strategies` finds the
records of a search in the requested order.
"""
