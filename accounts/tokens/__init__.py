"""Personal tokens (docs/decisions/accounts.md#tokens).

`personal_tokens` creates, finds and revokes them, `token_text` makes their texts, and `token_requests` admits requests
that bring one.
"""
