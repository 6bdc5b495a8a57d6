"""Passwords (docs/decisions/accounts.md#weak-passwords).

`hashers` makes their hashes, `password_warnings` knows weak ones by `common_passwords` and `lookalikes` of the name.
`password_notice` is about wrong ones, and `password_prompt` asks for one in a terminal.
"""
