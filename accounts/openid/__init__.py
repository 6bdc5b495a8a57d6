"""Signing in elsewhere, by OpenID Connect (docs/decisions/accounts.md#sign-in-elsewhere).

`provider` is what the provider says of itself, `backend` has what it says of a `person`, and `identities` are the
accounts that belong to such. `pages` lead there and back, by `routes`; `api` changes to whom an account belongs.
"""
