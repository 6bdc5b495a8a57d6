"""The ledger of days: what was read at the source, and whether the archive equals it.

`ledger_writes` and `imported_days` write it; `ledger`, `span_proof`, `unasked` and `missing_days` read it
(docs/decisions/collection.md#the-ledger-of-days). `left_windows` has the windows that are read again, `api_types` the
types of the answers.
"""
