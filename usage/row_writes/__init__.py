"""Writes rows of records, prompts and measures in the fastest way of the store's engine, for `usage/ingest.py`.

`sqlite` and `postgres` have the statements, `columns` the columns of a record.
"""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.row_writes.sqlite import insert_prompts, insert_records, store_measures, store_prompts, update_records
else:
    from usage.row_writes.postgres import insert_prompts, insert_records, store_measures, store_prompts, update_records

__all__ = ["insert_prompts", "insert_records", "store_measures", "store_prompts", "update_records"]
