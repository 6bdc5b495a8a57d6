"""Webhooks: events that an account's addresses are sent, signed (docs/webhooks.md).

`api` has the views; `changes` creates, changes and deletes webhooks, `listed` shows them, and `sent_events` puts
an event into the outbox (`accounts/delivery`), which stores, signs and sends it.
"""
