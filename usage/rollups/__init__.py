"""Sums of records by day.

`recompute` computes sums by model, client, purpose and hour from the records, `day_totals` and `purpose_totals` sum
whole days from those, `month_sums` the `whole_months`, beside which `month_hours` has the hours of models and clients;
`many_names` has the months with too many names for that. `erased_sums` has what reads take from the records, of days
whose records were erased. `day_measures` sums what sources give beside amounts.
`read_sums`, `measured_sums` and `figures` read them, `differing_rows` compares them with the records.
"""
