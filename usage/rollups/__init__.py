"""Sums of records by day.

`recompute` computes sums by model, client and hour from the records, `day_totals` sums whole days from those, and
`read_sums` reads them.
"""
