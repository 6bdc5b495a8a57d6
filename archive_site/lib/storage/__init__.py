"""The data folder, encryption at rest, counters, disk space, SQL, and the SQLite backend."""
