"""The schedule of collections.

`times_of_day` computes when a time of day is due, `missed_slots` which slots an account has missed, and `scheduler`
queues runs for them.
"""
