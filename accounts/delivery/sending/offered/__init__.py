"""The services that the page Notices offers, each a module: docs/decisions/notices.md#services-of-notices.

`recognition` finds the service of an address, `service` has what they share. A module reads the address that its
service shows for copying and makes the request that the service documents. Nothing here loads Django or connects.
"""
