"""Search on PostgreSQL, over two GIN indexes of the table of prompts.

`terms` gives the conditions that these indexes answer, `index` creates them, `plan` finds the matches.
"""
