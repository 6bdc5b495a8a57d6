"""The upstream client, the only network code of the project (docs/upstream.md).

`client` requests pages and retries, `wire` keeps the connection, `failures` classifies bad answers, `rows` turns the
rows of good ones into records.
"""
