"""CodeBuddy's usage API (docs/upstream.md).

`credential` opens it with an account's cookie, whose end `session_cookie` reads, or with its `token`.
`upstream_settings` has what a request needs, `reader` requests pages through `over_http`, in the `wall_clocks` of their
window; `failures` classifies bad answers, `rows` turns the rows of good ones into records. `package_requests` and
`orders` ask for packages and orders, `packages` and `daily_sums` turn answers into packages and bills.
`pasted_requests` finds the cookie in a pasted text, `trial` tries it, and `credential_advice` says what came of that.
`traits` says what the API can give, `simulator` plays it.
"""
