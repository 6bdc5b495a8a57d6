"""The upstream client, the only network code of the project.

`client` asks for pages and retries, `wire` keeps the connection, `failures` names what a bad answer means, `rows` turns
the rows of a good one into records.
"""
