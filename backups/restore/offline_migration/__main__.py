"""Migrates a store file, for a service whose engine is another one: `in_process.py` runs it."""

import json
import sys
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()
    from backups.restore import offline_migration

    store, text = sys.argv[1:]
    targets = json.loads(text)
    offline_migration.migrate(Path(store), targets and [(app, name) for app, name in targets])
