"""What an account is asked for after its password (docs/decisions/accounts.md#second-factor).

`codes` are those of an authenticator app, `passkeys` those of a browser or a device, which `webauthn` asks, and
`recovery` codes stand in for both. `factors` says which of them an account has, and whether the instance requires one.
"""
