"""What the child may connect to: public addresses only, and no program is started.

Everything is checked where the connection is made, so neither a second answer of the name server nor a redirect gets
around it. A hook of the interpreter (PEP 578) sees each connection, whatever library makes it, and cannot be removed.
"""

import socket
import sys
from typing import Any

from accounts.delivery.sending.exchanges import PRIVATE, UNREACHABLE, Exchanges
from archive_site.lib.public_addresses import is_public

_PROGRAMS = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "pty.")
_OTHER_WAYS_OUT = {"socket.bind", "socket.sendto", "socket.sendmsg"}


class NotAllowedError(OSError):
    """A connection that is not made; the libraries treat it as a failed one."""


def install(exchanges: Exchanges, *, private_allowed: bool, connects: bool) -> None:
    """Guard this process for good. Without `connects` it resolves and checks names, and opens no connection."""
    resolve = socket.getaddrinfo

    def checked(*args: Any, **options: Any) -> Any:
        try:
            found = resolve(*args, **options)
        except (OSError, UnicodeError):
            exchanges.note(UNREACHABLE)
            raise NotAllowedError from None
        if not private_allowed and not all(is_public(str(entry[4][0])) for entry in found):
            exchanges.note(PRIVATE)
            raise NotAllowedError
        if not connects:
            raise NotAllowedError
        return found

    def hook(event: str, details: tuple[Any, ...]) -> None:
        if event.startswith(_PROGRAMS) or event in _OTHER_WAYS_OUT:
            raise NotAllowedError
        if event == "socket.connect":
            connection, address = details
            if connection.family not in (socket.AF_INET, socket.AF_INET6) or not connects:
                raise NotAllowedError
            if not private_allowed and not is_public(str(address[0])):
                exchanges.note(PRIVATE)
                raise NotAllowedError

    # Both HTTP and SMTP ask here. A name with a public and a private address is refused as a whole.
    socket.getaddrinfo = checked
    sys.addaudithook(hook)
