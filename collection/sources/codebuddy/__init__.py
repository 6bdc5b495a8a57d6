"""CodeBuddy's usage API (docs/upstream.md).

`credential` opens it with an account's cookie, `reader` requests pages and retries, `wire` keeps the connection,
`answer_json` reads the JSON of an answer, `failures` classifies bad answers, `rows` turns the rows of good ones into
records. `traits` says what it can give, `simulator` plays it.
"""
