"""The schedule of collections.

`times_of_day` computes when a time of day is due, `slots` which slots an account has missed, `scheduler` queues runs.
"""
