"""Sending notices to people and events to programs (docs/decisions/notices.md).

The `outbox` keeps what is to be sent and tries it, within the `limit_of_hour`; `events` names what it can be about. It
goes to the `addresses` of an account, as its `choices` say, or by `to_webhook` to one of the `stored_webhooks`, as one
of the `bodies` with the headers of `signing`. `sending` calls other machines. `checking` holds a place for the check
of a new address, `limit_of_tests` counts tests, and `reasons` says in words why something did not arrive.

Rooms above put things into the outbox; it imports none of them.
"""
