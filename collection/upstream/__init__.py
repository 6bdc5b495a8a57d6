"""The upstream client, the only network code of the project (docs/upstream.md).

`client` requests pages and retries, `wire` keeps the connection, `answer_json` reads the JSON of an answer, `failures`
classifies bad answers, `rows` turns the rows of good ones into records.
"""
