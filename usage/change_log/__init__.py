"""Which records of an archive were added, changed and removed since a place in its history.

`writes` notes what changes, in the transaction that changes it; `reads` gives what followed a `place`, to `api`.
"""
