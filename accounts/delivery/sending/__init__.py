"""Sending a notice or an event to one address, in a process of its own: docs/decisions/notices.md#sending-notices.

`addresses` says whether an address may be stored, `send` sends. Both ask a child process (`own_process`): `child`
limits itself, `guard` refuses connections to private addresses, `exchanges` records how connections ended, `services`
calls the library of notices, and `posts` sends the events of webhooks. Only the child loads libraries, so this package
imports nothing here.
"""
