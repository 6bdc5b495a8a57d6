"""Lists of records without a search text: their ids in any order.

`page_ids` finds one page; `export_chunks` finds all records, a few at a time. Both find the place of a page with
`list_sums`, which reads the rollups, and read the records there with `row_queries`, the two queries over records.
"""
