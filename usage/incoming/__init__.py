"""What a source or a file gives, before it is stored.

`values` reads and bounds single values, `record` is a call with all of them. `record_differences` compares it with a
stored one, of which some are `values_that_stay`.
"""
