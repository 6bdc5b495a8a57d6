"""Which server is asked, and with which token, by options, variables or a file (docs/client.md#server-and-token)."""

import re
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from archive_site.client.outcome import ExitCode, Failure

SERVER, TOKEN, TOKEN_FILE = "USAGE_ARCHIVE_SERVER", "USAGE_ARCHIVE_TOKEN", "USAGE_ARCHIVE_TOKEN_FILE"  # noqa: S105 - names
# No token is longer; a file with more is another one.
_LONGEST = 1000


@dataclass(frozen=True)
class Access:
    """`server` is an address without a slash at its end, with the path that a proxy puts before the service."""

    server: str
    token: str = field(repr=False)

    @property
    def is_open_to_listeners(self) -> bool:
        """Whether the token crosses a network unencrypted."""
        return urlsplit(self.server).scheme == "http" and not self.is_of_this_machine

    @property
    def is_of_this_machine(self) -> bool:
        return _is_loopback(urlsplit(self.server).hostname or "")


def access_of(arguments: Namespace, environ: Mapping[str, str]) -> Access:
    """The access that options name, else the environment. Raises Failure."""
    server = arguments.server or environ.get(SERVER, "")
    if not server.strip():
        raise _usage(f"no server: name its address with --server or {SERVER}.")
    token = arguments.token or ""
    if not token:
        file = arguments.token_file or ("" if environ.get(TOKEN) else environ.get(TOKEN_FILE, ""))
        token = _read(Path(file)) if file else environ.get(TOKEN, "")
    if not token.strip():
        raise _usage(f"no token: set {TOKEN} or {TOKEN_FILE}, or name a file with --token-file.")
    return Access(_address(server.strip()), _checked(token.strip()))


def _address(text: str) -> str:
    """The address of a server. Raises Failure; its message never repeats a text that may hold a password."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f\x7f\\]", text):
        raise _usage("the server is an address such as https://usage.example.org.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise _usage("the address of the server has no name, password, '?' or '#' in it.")
    return text.rstrip("/")


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.read(_LONGEST)
    except OSError as error:
        raise _usage(f"the file of the token cannot be read: {error.strerror}.") from None
    except ValueError:
        raise _usage("the file of the token holds no text.") from None


def _checked(token: str) -> str:
    # Anything else could not be sent in a header.
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise _usage("the token has characters that no token has.")
    return token


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _usage(message: str) -> Failure:
    return Failure(ExitCode.USAGE, message)
