"""Writes the rows of records and prompts in the way that is fastest on the store's engine, for `usage/ingest.py`."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from usage.row_writes.sqlite import insert_prompts, insert_records, store_prompts, update_records
else:
    from usage.row_writes.postgres import insert_prompts, insert_records, store_prompts, update_records

__all__ = ["insert_prompts", "insert_records", "store_prompts", "update_records"]
