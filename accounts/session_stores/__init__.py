"""Where sessions are kept.

`session_store` has them in the database, `session_cache` before it, and `spare_sessions` in memory.
"""
