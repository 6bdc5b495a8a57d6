"""Sums of records by day.

`fine` computes sums by model, client and hour from the records, `coarse` whole days from those, and `sums` reads them.
"""
