"""Restoring a backup.

`restore_backup` runs the steps. `backup_reader` unpacks and checks the backup (`schema_check`, `value_check`).
`new_store` turns it into a store of this version inside a `work_folder`: with statements over `both_stores`
(`sqlite_stores`, `postgres_stores`) it keeps the `live_notices`, and `fitting` makes it fit for the engine of the live
store. `store_switch` puts it in place, on PostgreSQL with `schema_load`. `recovery` cleans up after a restore that was
killed, `unusable_store` makes room where the live store is damaged.
"""
