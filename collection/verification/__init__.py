"""Verification: days are read again and compared with the records, and nothing is stored.

`verification_start` queues it, `verification` reads the days, `comparison` finds what differs, and `run_report` writes
that as a file.
"""
