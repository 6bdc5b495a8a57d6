"""The schedule of collections.

`times_of_day` says when a time of day is due, `slots` which ones an account is owed, `scheduler` queues a run for them.
"""
