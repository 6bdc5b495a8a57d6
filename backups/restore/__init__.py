"""Restoring a backup.

`restore_archive` runs the steps. `archive_reader` unpacks and checks the archive (`schema_check`, `value_check`).
`new_store` turns it into a store of this version (`offline_migration`) inside a `work_folder`. `store_switch` puts it
in place of the live one. `recovery` clears up after a restore that was killed.
"""
