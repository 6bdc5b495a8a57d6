"""Sending a notice to one address, in a process of its own: docs/decisions.md#sending-notices.

`addresses.check` says whether an address may be stored, `send.send` sends. Both ask a child process (`own_process`):
`child` limits itself, `guard` refuses connections to private addresses, `exchanges` records how connections ended, and
`services` calls the library. Only the child loads the library, so this package imports nothing here.
"""
