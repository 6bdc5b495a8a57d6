"""Lists of records without a text to search for: their ids in any order.

`pages` finds one page, `chunks` finds all records a few at a time. Both take the place of a page from `counts`, which
reads the rollups, and the records around it from `rows`, which holds the two queries over records.
"""
