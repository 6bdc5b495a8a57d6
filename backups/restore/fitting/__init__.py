"""Makes the checked store of a backup, an SQLite file of this version, fit for the engine of the live store."""

from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from backups.restore.fitting.sqlite import fit
else:
    from backups.restore.fitting.postgres import fit

__all__ = ["fit"]
