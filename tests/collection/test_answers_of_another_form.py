"""No answer outside of the form of the upstream changes a record or the ledger: docs/upstream.md#answer."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts import config
from accounts.models import INSTANCE, User
from collection.models import Run
from collection.simulator.simulator import Simulator
from tests.collection.collector_run import call_at, collected, contents, set_up
from tests.collection.scheduling import berlin
from tests.collection.scripted_upstream import ROW, ScriptedUpstream, told
from usage.models import CoverageDay

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.just([]) | st.just([ROW]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["data", "total", "list", "rows", "totalCount", "items", "code"])


def is_count(value: object) -> bool:
    text = str(value).strip()
    return not isinstance(value, bool) and isinstance(value, int | str) and text.isascii() and text.isdigit()


def is_of_the_form(data: Any) -> bool:
    """Whether an answer with this `data` has rows and a count, or neither."""
    if not isinstance(data, dict):
        return data is None
    rows = data.get("data", 0)
    return is_count(data.get("total")) and (isinstance(rows, list) or (rows is None and int(str(data["total"])) == 0))


OTHER_DATA = (JSON | st.dictionaries(NAMES, JSON, max_size=4)).filter(lambda data: not is_of_the_form(data))


@pytest.mark.django_db
@given(data=OTHER_DATA)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_answer_of_another_form_changes_neither_record_nor_ledger(
    data: Any, alice: User, upstream: Simulator
) -> None:
    set_up(alice, upstream, verify_days=2, page_size=1000)
    if not contents(alice):
        upstream.add(0, call_at(berlin("2026-09-05 10:00"), "a"))
        collected(alice, date(2026, 9, 3))
    before = contents(alice), list(CoverageDay.objects.order_by("day").values())
    with ScriptedUpstream(told({"code": 0, "msg": "OK", "data": data})) as server:
        config.write({"api_base": server.url}, user_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, date(2026, 9, 3)).run
    assert (run.status, run.exit_code, run.fetched) == (Run.Status.FAILED, 5, 0), json.dumps(data)
    assert "The keys that came: code, msg, data" in run.message
    assert (contents(alice), list(CoverageDay.objects.order_by("day").values())) == before
