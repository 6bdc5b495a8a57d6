"""Migrates a store file, for a service whose engine is another one: `in_process.py` runs it."""

import json
import sys
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()
    from archive_site.lib.storage import engine
    from backups.offline_migration import in_thread

    if not engine.IS_SQLITE:
        sys.exit("The settings of this process name another engine than that of the file")
    store, text = sys.argv[1:]
    targets = json.loads(text)
    in_thread.migrate(Path(store), targets and [(app, name) for app, name in targets])
