"""Locks between processes: the freeze of writes during a restore, and the lock of work on the whole store."""
