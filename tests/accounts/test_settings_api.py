"""GET and POST /api/settings: docs/api.md#settings."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from pytest_django import DjangoAssertNumQueries, Settings

from accounts import config
from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib.storage.data_folder import DataFolder
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.accounts.settings_requests import AGENT, COOKIE, PATH, put, slots
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db


# Reading


def test_every_key_is_answered_with_its_default(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).get(PATH))
    assert {name: answer[name] for name in config.KEYS} == {name: key.default for name, key in config.KEYS.items()}


def test_the_answer_has_exactly_the_specified_fields(alice: User, api_of: ApiOf) -> None:
    added = {"cookie_hint", "cookie_broken", "_globalKeys", "_userKeys", "_canEditGlobal", "_canManageBackups", "_role"}
    assert set(answer_of(api_of(alice).get(PATH))) == set(config.KEYS) | added


@pytest.mark.parametrize(("name", "may", "role"), [("alice", False, "user"), ("root", True, "admin")])
def test_the_answer_says_what_the_caller_may_do(
    name: str, may: bool, role: str, api_of: ApiOf, request: pytest.FixtureRequest
) -> None:
    answer = answer_of(api_of(request.getfixturevalue(name)).get(PATH))
    assert (answer["_canEditGlobal"], answer["_canManageBackups"], answer["_role"]) == (may, may, role)


def test_the_lists_of_keys_are_those_of_the_registry(alice: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(alice).get(PATH))
    assert (answer["_globalKeys"], answer["_userKeys"]) == (config.GLOBAL_KEYS, ["cookie", "user_agent"])


def test_the_cookie_is_read_back_empty_with_a_hint(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, COOKIE)
    response = api_of(alice).get(PATH)
    answer = answer_of(response)
    assert (answer["cookie"], answer["cookie_hint"]) == ("", f"{len(COOKIE)} chars, ...abcd")
    assert b"marker" not in response.content


def test_a_replaced_instance_key_makes_the_cookie_broken(
    alice: User, api_of: ApiOf, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    credential.store(alice.pk, COOKIE)
    settings.DATA_FOLDER = DataFolder(tmp_path_factory.mktemp("home"))
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())
    answer = answer_of(api_of(alice).get(PATH))
    assert (answer["cookie_broken"], answer["cookie_hint"]) == (True, "")


def test_slot_marks_are_never_returned(alice: User, api_of: ApiOf) -> None:
    put("slot:08:00", "2026-09-01", alice.pk)
    assert b"slot:" not in api_of(alice).get(PATH).content


def test_a_personal_value_beats_the_instance_and_that_the_default(alice: User, bob: User, api_of: ApiOf) -> None:
    put("page_size", "300")
    put("page_size", "400", alice.pk)
    assert [answer_of(api_of(user).get(PATH))["page_size"] for user in (alice, bob)] == ["400", "300"]


def test_a_user_agent_never_falls_back_to_the_instance(alice: User, api_of: ApiOf) -> None:
    put("user_agent", "somebody else's")
    assert answer_of(api_of(alice).get(PATH))["user_agent"] == ""


def test_one_account_never_sees_the_settings_of_another(alice: User, bob: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"cookie": COOKIE, "user_agent": AGENT})
    answer = answer_of(api_of(bob).get(PATH, user_id=str(alice.pk)))
    assert (answer["cookie_hint"], answer["user_agent"]) == ("", "")


def test_a_stored_value_that_is_no_longer_accepted_counts_as_unset(alice: User, api_of: ApiOf) -> None:
    put("page_size", "many")
    assert answer_of(api_of(alice).get(PATH))["page_size"] == "200"


def test_all_values_take_one_query(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        config.effective(alice.pk)


def test_the_answer_is_stored_by_no_cache(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get(PATH).headers["Cache-Control"] == "no-store"


def test_a_visitor_is_unauthorized(anonymous: ApiClient) -> None:
    assert [answer.status_code for answer in (anonymous.get(PATH), anonymous.post(PATH, {}))] == [401, 401]


# Writing


def test_valid_keys_are_stored_and_listed_sorted(root: User, api_of: ApiOf) -> None:
    response = api_of(root).post(PATH, {"timeout": "60", "page_size": "300", "slot:09:00": "x", "slot:08:00": "x"})
    assert (response.status_code, answer_of(response)) == (
        200, {"ok": True, "changed": ["page_size", "timeout"], "ignored": ["slot:08:00", "slot:09:00"]}
    )  # fmt: skip


def test_an_instance_key_is_changed_for_everybody(root: User, alice: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"page_size": "300"})
    assert answer_of(api_of(alice).get(PATH))["page_size"] == "300"


def test_every_instance_key_can_be_written(root: User, api_of: ApiOf) -> None:
    body = {name: config.KEYS[name].default for name in config.INSTANCE_KEYS}
    assert answer_of(api_of(root).post(PATH, body))["changed"] == config.INSTANCE_KEYS


def test_slot_marks_are_not_writable(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"slot:08:00": "2026-09-01"})
    assert slots() == set()


def test_an_unknown_key_is_an_error_that_names_it(root: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(root).post(PATH, {"colour": "red"}))
    assert answer["errors"] == ["'colour' is not a setting."]


def test_a_strange_key_is_cut_and_made_printable(root: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(root).post(PATH, {"a\x00\x1b" + "b" * 500: "1", "slot:\x00": "1"}))
    assert answer["errors"] == [f"'a��{'b' * 61}' is not a setting."]


def test_hundreds_of_unknown_keys_make_a_short_answer(root: User, api_of: ApiOf) -> None:
    response = api_of(root).post(PATH, {f"key {number}": "" for number in range(500)})
    assert answer_of(response)["errors"][-1] == "490 more keys are not settings."
    assert len(response.content) < 2000


def test_an_ordinary_user_may_write_cookie_and_user_agent_only(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).post(PATH, {"timeout": "60", "user_agent": AGENT, "page_size": "300"})
    assert (response.status_code, answer_of(response)) == (
        400,
        {
            "ok": False,
            "error": "invalid",
            "message": "Only an administrator may change page_size, timeout.",
            "errors": ["Only an administrator may change page_size, timeout."],
            "changed": ["user_agent"],
        },
    )


def test_what_an_ordinary_user_may_not_write_is_not_saved(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"page_size": "300", "cookie": COOKIE})
    assert list(Setting.objects.values_list("user_id", "key")) == [(alice.pk, "cookie")]


def test_good_keys_are_stored_though_others_fail(root: User, api_of: ApiOf) -> None:
    response = api_of(root).post(PATH, {"page_size": "19", "timeout": "60", "colour": "", "verify_days": "x"})
    answer = answer_of(response)
    assert (response.status_code, answer["changed"], len(answer["errors"])) == (400, ["timeout"], 3)
    assert answer["message"] == " ".join(answer["errors"])
    assert config.instance_settings().timeout == 60


def test_an_invalid_value_is_an_error_that_names_key_and_range(root: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(root).post(PATH, {"page_size": "1001"}))
    assert answer["errors"] == ["page_size must be a whole number from 20 to 1000."]


def test_json_numbers_and_booleans_count_as_their_texts(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"page_size": 300, "ssl_verify": False})
    values = config.instance_settings()
    assert (values.page_size, values.ssl_verify) == (300, False)


@pytest.mark.parametrize("value", [[], ["300"], {}, {"a": 1}])
@pytest.mark.parametrize("key", ["page_size", "cookie", "user_agent"])
def test_a_list_or_object_is_an_error_that_names_the_key(key: str, value: Any, root: User, api_of: ApiOf) -> None:
    answer = answer_of(api_of(root).post(PATH, {key: value}))
    assert answer["errors"] == [f"{key} must be a text, a number or a boolean."]


@pytest.mark.parametrize("value", ["1.5", "1e400", "-1", "1" + 30 * "0"])
def test_an_odd_number_is_an_error(value: str, root: User, api_of: ApiOf) -> None:
    assert api_of(root).post(PATH, f'{{"page_size": {value}}}').status_code == 400


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_value_takes_a_key_back_to_its_default(empty: str | None, root: User, api_of: ApiOf) -> None:
    put("page_size", "300")
    assert answer_of(api_of(root).post(PATH, {"page_size": empty}))["changed"] == ["page_size"]
    assert config.instance_settings().page_size == 200


def test_an_empty_map_changes_nothing(alice: User, api_of: ApiOf) -> None:
    assert answer_of(api_of(alice).post(PATH, {})) == {"ok": True, "changed": [], "ignored": []}


def test_a_body_that_is_no_object_counts_as_empty(alice: User, api_of: ApiOf) -> None:
    assert answer_of(api_of(alice).post(PATH, ["page_size"])) == {"ok": True, "changed": [], "ignored": []}


def test_a_user_id_in_the_body_is_no_setting(alice: User, bob: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"user_id": bob.pk, "user_agent": AGENT})
    assert (config.user_agent(alice.pk), config.user_agent(bob.pk)) == (AGENT, "")


# Audit


def test_a_success_is_audited_with_the_names_of_the_keys(root: User, api_of: ApiOf) -> None:
    api_of(root).post(PATH, {"timeout": "60", "cookie": COOKIE})
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id, entry.ip, entry.detail) == (
        "root", "settings", root.pk, "127.0.0.1", "changed cookie, timeout"
    )  # fmt: skip


def test_a_failure_is_audited_with_what_failed(alice: User, api_of: ApiOf) -> None:
    api_of(alice).post(PATH, {"timeout": "60", "cookie": COOKIE})
    entry = Entry.objects.get()
    assert (entry.action, entry.detail) == (
        "settings_rejected", "changed cookie; Only an administrator may change timeout."
    )  # fmt: skip
