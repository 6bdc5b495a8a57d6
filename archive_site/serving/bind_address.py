"""The address that the web server listens to, and its socket: docs/decisions/instance.md#one-supervisor."""

import ipaddress
import os
import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from django.conf import settings

from archive_site.lib.environment import ConfigurationError

HELP = (
    "the IP address or host name of this machine to listen on, and the port: 0.0.0.0:8000 for all addresses of IPv4, "
    "[::]:8000 for all of IPv6 and IPv4, :8000 for 127.0.0.1:8000, which is taken if not given; for port 0 the system "
    "chooses one that is free, and the command prints it"
)
BACKLOG = 1024
# Names the socket in the environment of a process that started again.
_SOCKET = "USAGE_ARCHIVE_SOCKET"


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        """The address in HOST:PORT. Raises ConfigurationError if it is wrong or, in debug mode, not loopback."""
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdecimal()) or int(port) > 65535:
            raise ConfigurationError(
                f"--bind {text}: a port from 1 to 65535 is needed, as in 127.0.0.1:8000, or 0 for any that is free"
            )
        host = _plain(host, text)
        if settings.DEBUG and not _is_loopback(host):
            raise ConfigurationError(
                f"Debug mode serves this machine only: use 127.0.0.1:{port}, or unset ARCHIVE_DEBUG"
            )
        return cls(_ip_of(host), int(port))

    @property
    def url(self) -> str:
        # A server on all addresses is opened at the loopback address.
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not bound
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}"

    def bound(self) -> socket.socket:
        """A socket with this address, to which nobody can connect yet; a process that started again has one.

        Raises ConfigurationError with one line if the address cannot be bound.
        """
        kept = os.environ.pop(_SOCKET, "")
        if kept:
            made = socket.socket(fileno=int(kept))
            made.set_inheritable(False)
            return made
        with ExitStack() as unless_bound:
            try:
                made = unless_bound.enter_context(socket.socket(self._family, socket.SOCK_STREAM))
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if self._family == socket.AF_INET6:
                    _serve_ipv4(made, as_well=self.host == "::")
                made.bind((self.host, self.port))
            except OSError as error:
                raise self._refusal(error) from None
            unless_bound.pop_all()
            return made

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    def listen(self, bound: socket.socket) -> "Address":
        """Let clients connect; gives the address with the port that the system may have chosen.

        They wait until the web server takes them. Raises ConfigurationError if another was faster.
        """
        try:
            bound.listen(BACKLOG)
        except OSError as error:
            raise self._refusal(error) from None
        return replace(self, port=bound.getsockname()[1])

    def _refusal(self, error: OSError) -> ConfigurationError:
        return ConfigurationError(f"Cannot listen on {self.host}:{self.port}: {error.strerror}")


def hand_over(bound: socket.socket | None) -> dict[str, str]:
    """What the environment of the program needs, by which this process is replaced, to have the socket."""
    if bound is None:
        return {}
    bound.set_inheritable(True)
    return {_SOCKET: str(bound.fileno())}


def _serve_ipv4(made: socket.socket, *, as_well: bool) -> None:
    """Whether clients of IPv4 can connect to a socket of IPv6. Some systems never let them."""
    with suppress(OSError):
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(not as_well))


def _plain(host: str, text: str) -> str:
    """A host without brackets, and an address of IPv4 that is written as one of IPv6 as what it is.

    Raises ConfigurationError for brackets that are no pair, and for a colon in what is no address of IPv6.
    """
    inner = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        address = ipaddress.ip_address(inner)
    except ValueError:
        if set(inner) & set("[]:"):
            raise ConfigurationError(
                f"--bind {text}: HOST:PORT is needed, as in 127.0.0.1:8000 or [::1]:8000"
            ) from None
        return inner or "127.0.0.1"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped) if mapped else inner


def _ip_of(host: str) -> str:
    """The IP address of a host name, since the web server takes addresses only. Raises ConfigurationError."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ConfigurationError(f"Cannot listen on {host}: no such host") from None
    # For a name with both, IPv4: every client tries it.
    return str(min(found, key=lambda one: one[0] != socket.AF_INET)[4][0])


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
