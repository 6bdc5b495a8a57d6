"""Restoring a backup.

`restore_backup` runs the steps. `backup_reader` unpacks and checks the backup (`schema_check`, `value_check`).
`new_store` turns it into a store of this version (`offline_migration`) inside a `work_folder`. `store_switch` puts it
in place of the live store. `recovery` cleans up after a restore that was killed, `unusable_store` makes room where the
live store is damaged.
"""
