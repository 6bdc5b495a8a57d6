"""Webhooks: events that an account's addresses are sent, signed (docs/webhooks.md).

`stored_webhooks` keeps the addresses and their secrets, `listed` shows them, `changes` creates, changes and deletes
them, `events` puts an event into the outbox of the notices, `bodies` makes what is sent of it or of a notice,
`delivery` is one try, and `signing` has the headers that prove where it comes from.
"""
