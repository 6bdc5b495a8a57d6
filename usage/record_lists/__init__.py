"""Lists of records without a search text: their ids in any order.

`pages` finds one page; `chunks` finds all records, a few at a time. Both find the place of a page with `counts`, which
reads the rollups, and read the records there with `rows`, which holds the two queries over records.
"""
