"""The daily times, their cap and their marks in POST /api/settings: docs/api.md#settings."""

import pytest

from accounts import config
from accounts.models import User
from tests.accounts.page_forms import ApiOf, answer_of
from tests.accounts.settings_requests import PATH, put, slots

pytestmark = pytest.mark.django_db


def times(count: int) -> str:
    return ",".join(f"{hour:02}:00" for hour in range(count))


@pytest.mark.parametrize("order", [1, -1])
def test_more_times_with_a_higher_cap_are_fine_in_either_order(order: int, root: User, api_of: ApiOf) -> None:
    items = [("schedule_times", times(20)), ("max_schedule_slots_per_day", "20")]
    assert api_of(root).post(PATH, dict(items[::order])).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"schedule_times": times(13)},
        {"max_schedule_slots_per_day": "3"},
        {"schedule_times": times(10), "max_schedule_slots_per_day": "9"},
        {"schedule_times": times(13), "max_schedule_slots_per_day": "many"},
    ],
)
def test_more_times_than_slots_are_refused(body: dict[str, str], root: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(root).post(PATH, {**body, "timeout": "60"}))
    assert (answer["changed"], "would allow only" in answer["message"]) == (["timeout"], True)
    assert config.instance_settings().schedule_times == ["08:00", "12:30", "18:00", "23:50"]


def test_a_reset_is_checked_by_its_default(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"schedule_times": times(2), "max_schedule_slots_per_day": "2"})
    assert api_of(root).post(PATH, {"schedule_times": ""}).status_code == 400


def test_marks_of_times_that_are_gone_go_for_all_accounts(root: User, alice: User, api_of: ApiOf) -> None:
    for user in (root, alice):
        put("slot:08:00", "2026-09-01", user.pk)
        put("slot:12:30", "2026-09-01", user.pk)
    api_of(root).post(PATH, {"schedule_times": "12:30"})
    assert slots() == {(root.pk, "slot:12:30"), (alice.pk, "slot:12:30")}


def test_a_change_of_the_cap_removes_dead_marks_too(root: User, api_of: ApiOf) -> None:
    put("slot:03:00", "2026-09-01", root.pk)
    api_of(root).post(PATH, {"max_schedule_slots_per_day": "20"})
    assert slots() == set()


def test_other_changes_leave_the_marks_alone(root: User, api_of: ApiOf) -> None:
    put("slot:03:00", "2026-09-01", root.pk)
    api_of(root).post(PATH, {"timeout": "20", "schedule_times": "25:00"})
    assert slots() == {(root.pk, "slot:03:00")}
