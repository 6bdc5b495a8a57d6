"""Second sums: what a payer says of a day, compared with the archive's calls (docs/decisions/collection.md#proofs).

`bill` has the form of a bill, `stored_bills` keeps them and says which days to ask for, `billed_days` reads them.
`sums_of_days` sums up the calls of a bill's days, `wall_clock_sums` those without an instant, `comparison` finds what
differs, and `day_proofs` keeps that for the ledger of days. `spent_counter` finds what no day's bill has.
"""
