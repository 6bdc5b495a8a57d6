"""The data folder, encryption at rest, counters, free disk space, and the SQLite backend that follows a restore."""
