"""Lists of records without a search text: their ids in any order.

`page_ids` finds one page; `export_chunks` finds all records, a few at a time. Both find the place of a page with
`list_sums`, which reads the rollups, and read the records there with `row_queries`, the two queries over records.
`first_pages` reads first pages of filters by name in one query, in the way of the engine. `spans` has the parts of a
list, `cursor` its places in an order of time.
"""
