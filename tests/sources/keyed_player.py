"""Playing a kind that is asked at an address with a key, for the kit."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.conf import settings

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, Archive, User
from collection.sources import keyed, kinds
from collection.sources.keyed import Access
from collection.sources.kinds import KINDS
from collection.sources.over_http import wire
from collection.sources.over_http.simulated_api import SimulatedApi, Switches
from tests.sources.player import MIB

# Faults of any service: what the kit calls them, and what the simulator does.
BUSY = {
    "a reset": "reset", "no answer": "hang", "an answer byte by byte": "drip", "500": "server_error",
    "502": "bad_gateway", "503": "unavailable", "504": "gateway_timeout", "429 without a time": "overload",
    "429 with a time": "overload_with_time", "429 with a date": "overload_with_date",
}  # fmt: skip
FOREIGN = {
    "a page of HTML": "page_of_html", "half an answer": "broken_json", "a list": "a_list", "nothing": "empty_body",
    "an answer of another service": "another_form", "an answer that leads elsewhere": "redirect",
    "an unknown status": "teapot", "a huge answer": "huge_body", "a packed huge answer": "gzip_bomb",
}  # fmt: skip


def _hurried(**given: Any) -> Access:
    return Access(**{**given, "timeout": 0.3})


class PlayedKeyed:
    """What players of such kinds share."""

    def __init__(
        self, simulator: SimulatedApi, kind: str, fields: Mapping[str, str], owner: User, patched: pytest.MonkeyPatch
    ) -> None:
        self._simulator, self._patched = simulator, patched
        self._faults: Switches = simulator.faults
        self._faults.huge_bytes = 2 * MIB
        self._before = vars(self._faults).copy()
        patched.setattr(settings, "SOURCES_PRIVATE", True)
        User.objects.filter(pk=owner.pk).update(is_admin=True)
        made = Archive.objects.create(
            user_id=owner.pk, kind=kind, unit=KINDS[kind].unit.code, label=kind, address=simulator.base_url
        )
        self.archive_id = made.pk
        self.secrets: tuple[str, ...] = (list(fields.values())[-1],)
        kinds.require_way(made.pk).store(made.pk, fields)
        # A small page, so that a window has several.
        values = {"page_size": "20", "collect_min_interval_seconds": "0"}
        assert not config.write(values, archive_id=INSTANCE, may_edit_instance=True).errors
        assert credential.is_set(made.pk)

    def play_fault(self, name: str) -> None:
        """Play one of `BUSY` once, one of `FOREIGN`, or a fault of the kind by its own name."""
        fault = BUSY.get(name) or FOREIGN.get(name) or name
        if fault in ("hang", "drip"):
            self._patched.setattr(keyed, "Access", _hurried)
        if fault in ("huge_body", "gzip_bomb"):
            self._patched.setattr(wire, "MAX_BODY", MIB)
        self._simulator.fail(fault, times=1 if name in BUSY else None)

    def calm(self) -> None:
        self._simulator.clear()
        vars(self._faults).update(self._before)
        self._patched.setattr(keyed, "Access", Access)
        self._patched.setattr(wire, "MAX_BODY", 4 * MIB)

    def ids_of(self, name: str) -> list[str]:
        return [name]

    def asked(self) -> int:
        return self._simulator.request_count
