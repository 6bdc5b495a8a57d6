"""Sums of records by day.

`fine` computes sums by model, client and hour from the records; `coarse` sums whole days from those; `sums` reads them.
"""
