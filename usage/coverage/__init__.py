"""The ledger of days: what was asked for at the source, and whether the archive equals it.

`ledger` writes it, `day_states` and `unasked` read it (docs/decisions/collection.md#the-ledger-of-days). `left_windows`
has the windows that are read again.
"""
