"""The listed schemes and parameters, compared with the library."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from accounts.delivery.sending.schemes import PARAMETERS, SCHEMES, TAKEN

# What may stand in an address of these services and is refused: it reads files, fetches other addresses, repeats,
# delays or stores, or changes what was sent before.
REFUSED = {
    "actions", "album", "attach", "attach-as", "batch", "callback", "callbackurl", "content", "cto",
    "delay", "delete", "e2ee", "emojis", "filename", "inline", "optional", "overflow", "pgp", "pgpprv",
    "pgppub", "redirect", "retry", "rto", "status", "store", "template", "tz", "wait", "wkd",
}  # fmt: skip
# Used by requests and smtplib alone: docs/decisions/notices.md#sending-notices.
OTHER_MEANS = ["import socket", "subprocess", "asyncio", "SocketTransport", "websocket", "ctypes", "paho", "urlopen"]


def plugin(scheme: str) -> Any:
    module, name = SCHEMES[scheme]
    return getattr(import_module(f"apprise.plugins.{module}"), name)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_library_has_the_scheme(scheme: str) -> None:
    found: set[str] = set()
    for names in (plugin(scheme).protocol, plugin(scheme).secure_protocol):
        found.update([names] if isinstance(names, str) else names or ())
    assert scheme in found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_parameter_of_the_library_is_decided(scheme: str) -> None:
    assert set(plugin(scheme).template_args) - PARAMETERS - REFUSED == set()


def test_services_that_answer_in_json_are_listed() -> None:
    assert TAKEN.keys() <= SCHEMES.keys()


def test_no_parameter_is_both_listed_and_refused() -> None:
    assert PARAMETERS.isdisjoint(REFUSED)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_service_has_no_other_way_out_than_requests_and_smtplib(scheme: str) -> None:
    source = Path(str(import_module(plugin(scheme).__module__).__file__)).read_text("utf-8")
    assert [means for means in OTHER_MEANS if means in source] == []
    assert "requests." in source or "SMTP" in source
