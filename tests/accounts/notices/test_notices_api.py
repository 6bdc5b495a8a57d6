"""/api/notices: the notices of an account and their addresses; checked before anything is stored."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.delivery import addresses, choices, outbox
from accounts.delivery.choices import Choices
from accounts.delivery.sending.addresses import Address
from accounts.models import Delivery, Notice, Setting, User
from accounts.notices import changes, given_addresses
from audit.models import Entry
from tests.accounts.delivery.sending.receivers import Receiver, receiving
from tests.factories import ApiClient

PATH = "/api/notices"
MAIL = "mailto://somebody:marker-word@example.com"
SHOWN = "ntfy://127.0.0.1:9/…"
ApiOf = Callable[[User], ApiClient]


@pytest.fixture
def loopback(settings: Any) -> None:
    settings.NOTIFY_PRIVATE = True


@pytest.fixture
def api(alice: User, api_of: ApiOf, loopback: None) -> ApiClient:
    return api_of(alice)


def ntfy(topic: str) -> str:
    return f"ntfy://127.0.0.1:9/{topic}"


def stored(user: User) -> list[str]:
    return [one.text for one in addresses.of_account(user.pk)]


def refusal(api: ApiClient, body: Any) -> str:
    answer = api.post(PATH, body)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    return str(answer.json()["message"])


def test_at_first_all_events_are_on_and_there_is_no_address(api: ApiClient) -> None:
    answer = api.get(PATH).json()
    assert list(answer["events"]) == [
        "cookie_ends", "cookie_refused", "collection_failed", "days_short", "budget", "spike", "credits_expire",
        "credits_end", "second_factor",
    ]  # fmt: skip
    assert all(answer["events"].values())
    assert (answer["addresses"], answer["addresses_broken"], answer["quiet_from"], answer["quiet_to"]) == (
        [],
        False,
        "",
        "",
    )


def test_administrators_have_events_of_the_instance(root: User, api_of: ApiOf) -> None:
    events = api_of(root).get(PATH).json()["events"]
    assert list(events)[-4:] == ["backup_failed", "disk_low", "scheduler_silent", "version_newer"]


def test_an_address_is_encrypted_and_only_its_host_is_shown(api: ApiClient, alice: User) -> None:
    answer = api.post(PATH, {"addresses": [ntfy("marker-topic")]})
    assert answer.json()["addresses"] == [SHOWN]
    for text in (answer.content.decode(), api.get(PATH).content.decode(), api.get("/notices").content.decode()):
        assert "marker-topic" not in text
    assert "marker-topic" not in "".join(Setting.objects.values_list("value", flat=True))
    assert "marker-topic" not in "".join(Entry.objects.values_list("stored_detail", flat=True))
    assert stored(alice) == [ntfy("marker-topic")]


@pytest.mark.thorough
def test_keys_that_are_left_out_stay(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"addresses": [ntfy("one")], "quiet_from": "22:00", "quiet_to": "07:00"})
    answer = api.post(PATH, {"events": {"spike": False}}).json()
    assert (answer["addresses"], answer["quiet_from"], answer["quiet_to"]) == ([SHOWN], "22:00", "07:00")
    assert [event for event, is_on in answer["events"].items() if not is_on] == ["spike"]
    answer = api.post(PATH, {"events": {"budget": False}}).json()
    assert [event for event, is_on in answer["events"].items() if not is_on] == ["budget", "spike"]
    answer = api.post(PATH, {"events": ["budget"]}).json()
    assert [event for event, is_on in answer["events"].items() if is_on] == ["budget"]
    assert stored(alice) == [ntfy("one")]


def test_a_shown_address_keeps_the_stored_one(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"addresses": [ntfy("one"), ntfy("two")]})
    api.post(PATH, {"addresses": ["ntfy://…", "ntfy://…", ntfy("three")]})
    assert stored(alice) == [ntfy("one"), ntfy("two"), ntfy("three")]
    assert "ntfy" in refusal(api, {"addresses": ["ntfy://…"] * 4})
    assert stored(alice) == [ntfy("one"), ntfy("two"), ntfy("three")]


@pytest.mark.thorough
def test_one_is_added_and_one_removed(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"add": ntfy("one")})
    answer = api.post(PATH, {"add": ntfy("two")}).json()
    api.post(PATH, {"remove": answer["address_ids"][0]})
    assert stored(alice) == [ntfy("two")]
    api.post(PATH, {"add": ntfy("two")})
    assert stored(alice) == [ntfy("two")]
    api.post(PATH, {"addresses": []})
    assert not Setting.objects.filter(key="notice_addresses").exists()


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(
    "body",
    [{"addresses": "ntfy://x"}, {"addresses": [1]}, {"addresses": ["gopher://x"]}, {"addresses": ["nonsense"]},
     {"addresses": [f"ntfy://127.0.0.1/{number}" for number in range(11)]}, {"add": "ntfy://…"}, {"add": 5},
     {"add": "ntfy://" + "x" * 1000}, {"events": "all"}, {"events": {"spike": "yes"}}, {"events": {"nothing": True}},
     {"events": ["backup_failed"]}, {"quiet_from": "22:00"}, {"quiet_from": "25:00", "quiet_to": "07:00"},
     {"quiet_from": "7:00", "quiet_to": "08:00"}],
)  # fmt: skip
def test_what_is_wrong_is_refused_and_changes_nothing(body: Any, api: ApiClient, alice: User) -> None:
    api.post(PATH, {"addresses": [ntfy("one")]})
    before = api.get(PATH).json()
    refusal(api, {"quiet_to": "", "events": {"spike": False}, **body})
    assert api.get(PATH).json() == before
    assert stored(alice) == [ntfy("one")]


@pytest.mark.parametrize("address_id", ["nope", "", None, 1, [1], {"a": 1}])
@pytest.mark.parametrize(
    "of", [lambda address_id: {"remove": address_id}, lambda address_id: {"rename": {"id": address_id, "name": "a"}}]
)
def test_an_id_of_no_address_is_refused_and_changes_nothing(
    of: Callable[[Any], Any], address_id: Any, api: ApiClient, alice: User
) -> None:
    addresses.replace(alice.pk, [addresses.named(ntfy("one"))])
    assert refusal(api, {"quiet_from": "22:00", "quiet_to": "07:00", **of(address_id)}) == "There is no such address."
    assert (stored(alice), api.get(PATH).json()["quiet_from"]) == ([ntfy("one")], "")


def test_an_empty_body_stores_nothing(api: ApiClient) -> None:
    assert api.post(PATH).status_code == 200
    assert not Setting.objects.filter(key__startswith="notice").exists()


def test_private_hosts_are_refused(alice: User, api_of: ApiOf, settings: Any) -> None:
    settings.NOTIFY_PRIVATE = False
    assert "not public" in refusal(api_of(alice), {"addresses": ["json://127.0.0.1/marker-path"]})


def test_under_another_key_they_have_to_be_entered_again(api: ApiClient, alice: User) -> None:
    api.post(PATH, {"addresses": [ntfy("one")]})
    Setting.objects.filter(key="notice_addresses").update(value="gAAAAA" + "x" * 60)
    answer = api.get(PATH).json()
    assert (answer["addresses"], answer["addresses_broken"]) == ([], True)
    assert "Enter them again" in api.get("/notices").content.decode()
    assert api.post(PATH, {"addresses": [ntfy("two")]}).json()["addresses_broken"] is False


@pytest.mark.engine
def test_a_test_is_sent_by_a_worker_and_listed(api: ApiClient, alice: User) -> None:
    with receiving() as receiver:
        address = api.post(PATH, {"addresses": [receiver.address]}).json()["address_ids"][0]
        assert api.post(f"{PATH}/test", {"id": address}).json()["ok"]
        assert received(receiver) == 0
        outbox.send_due()
        assert received(receiver) == 1
    (item,) = api.get(f"{PATH}/sent").json()["items"]
    assert (item["event"], item["deliveries"][0]["state"], item["deliveries"][0]["address"]) == (
        "test", "sent", f"json://127.0.0.1:{receiver.port}/…",
    )  # fmt: skip
    entry = Entry.objects.filter(action="notify").latest("pk")
    assert (entry.user_id, entry.search_text) == (alice.pk, "notice sent: Test")


@pytest.mark.thorough
def test_few_tests_wait_at_once(api: ApiClient) -> None:
    api.post(PATH, {"addresses": [ntfy("one")]})
    assert [api.post(f"{PATH}/test").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize("body", [{}, {"id": "nothing"}])
def test_without_that_address_there_is_no_test(body: Any, api: ApiClient) -> None:
    assert api.post(f"{PATH}/test", body).status_code == 404
    assert not Notice.objects.exists()


def test_anothers_address_is_not_tested_nor_listed(api: ApiClient, bob: User, api_of: ApiOf) -> None:
    address = api.post(PATH, {"addresses": [ntfy("one")]}).json()["address_ids"][0]
    api.post(f"{PATH}/test")
    other = api_of(bob)
    assert other.post(f"{PATH}/test", {"id": address}).status_code == 404
    assert refusal(other, {"remove": address}) == "There is no such address."
    assert len(api.get(PATH).json()["addresses"]) == 1
    assert other.get(f"{PATH}/sent").json()["items"] == []
    assert Delivery.objects.count() == 1


@pytest.mark.thorough
def test_checks_leave_threads_of_the_web_server_free(
    api: ApiClient, bob: User, root: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile: dict[str, list[ApiClient]] = {"ntfy://one": [api, api_of(bob)], "ntfy://two": [api_of(root)]}
    answers: list[int] = []

    def check(text: str) -> Address:
        for other in meanwhile.pop(text, []):
            answers.append(other.post(PATH, {"add": "ntfy://two"}).status_code)
        return Address(text, "ntfy")

    monkeypatch.setattr(given_addresses, "check", check)
    assert api.post(PATH, {"add": "ntfy://one"}).status_code == 200
    assert answers == [429, 429, 200]
    assert api.post(PATH, {"add": "ntfy://three"}).status_code == 200


@pytest.mark.thorough
def test_changes_of_two_requests_at_once_are_both_kept(
    api: ApiClient, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(name: str) -> None:
        choices.store(alice.pk, Choices(quiet_from="22:00", quiet_to="07:00"))

    monkeypatch.setattr(changes, "take_lock", wait)
    answer = api.post(PATH, {"events": {"budget": False}}).json()
    assert (answer["events"]["budget"], answer["quiet_from"]) == (False, "22:00")


def received(receiver: Receiver) -> int:
    return len(receiver.bodies)
