"""GET and POST /api/webhooks, their deletion and their tests: docs/api.md#webhooks."""

import logging
import re
from typing import Any

import pytest
from django.apps import apps
from django.conf import LazySettings

from accounts.actor import Actor
from accounts.delivery import outbox, stored_webhooks
from accounts.delivery.sending.addresses import Address, check_url
from accounts.delivery.signing import new_secret
from accounts.delivery.stored_webhooks import MOST
from accounts.models import Delivery, Notice, User, Webhook
from accounts.webhooks import changes
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import SCOPES
from audit.models import Entry
from audit.redaction import redacted
from tests.accounts.delivery.sending.receivers import receiving
from tests.accounts.page_forms import ApiOf, answer_of
from tests.accounts.webhooks.conftest import NOW
from tests.accounts.webhooks.hooks import NOWHERE, is_signed, make_webhook
from tests.concurrency import together
from tests.factories import ApiClient
from tests.tokens import TokenClient

pytestmark = pytest.mark.django_db
PATH = "/api/webhooks"


def create(api: ApiClient, address: str = NOWHERE) -> dict[str, Any]:
    response = api.post(PATH, {"address": address})
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = answer_of(response)
    return answer


def listed(api: ApiClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = answer_of(api.get(PATH))["items"]
    return items


def test_the_answer_has_the_secret_and_no_cache_keeps_it(api: ApiClient) -> None:
    response = api.post(PATH, {"address": NOWHERE})
    answer = answer_of(response)
    assert (set(answer), answer["id"]) == ({"ok", "message", "id", "secret"}, Webhook.objects.get().pk)
    assert re.fullmatch(r"whs_[0-9A-Za-z]{40}", answer["secret"])
    assert response.headers["Cache-Control"] == "no-store"
    assert create(api)["secret"] != answer["secret"]


def test_the_list_has_all_but_the_whole_address_and_the_secret(api: ApiClient, at: Any) -> None:
    first, second = create(api), create(api, "https://8.8.8.8/hook")
    newest, oldest = listed(api)
    assert oldest == {
        "id": first["id"], "address": "http://127.0.0.1:9/…", "events": ["collection"], "broken": False,
        "created_at": clock.local_text(NOW), "waiting": 0, "last": None,
    }  # fmt: skip
    assert (newest["id"], newest["address"]) == (second["id"], "https://8.8.8.8/…")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://hooks.example.org:8443/marker/path?marker=1#marker", "https://hooks.example.org:8443/…"),
        ("https://hooks.example.org", "https://hooks.example.org/…"),
        ("HTTPS://Hooks.Example.org?marker", "https://Hooks.Example.org/…"),
        ("http://marker:marker@8.8.8.8:81/", "http://8.8.8.8:81/…"),
        ("http://marker@marker@8.8.8.8", "http://8.8.8.8/…"),
        ("http://[2001:db8::1]:8080/marker", "http://[2001:db8::1]:8080/…"),
        ("http://marker:marker@[::ffff:8.8.8.8]#marker", "http://[::ffff:8.8.8.8]/…"),
        ("https://xn--bcher-kva.example/marker", "https://xn--bcher-kva.example/…"),
        ("https://bücher.example/marker", "https://bücher.example/…"),
        # Where user and host cannot be distinguished for sure.
        ("https://marker:12/marker@hooks.example.org/", "https://…"),
        ("https://marker?marker@hooks.example.org/", "https://…"),
        ("https://marker\\@hooks.example.org/", "https://…"),
        ("https://marker%40hooks.example.org/", "https://…"),
        ("https://marker:marker/", "https://…"),
    ],
)
def test_it_shows_scheme_host_and_port_alone(address: str, shown: str, api: ApiClient, alice: User) -> None:
    make_webhook(alice, address)
    assert listed(api)[0]["address"] == shown
    page = api.get("/notices").content.decode()
    assert f">{shown}<" in page
    assert "marker" not in page + str(listed(api))


def test_address_and_secret_are_in_no_other_answer_nor_in_log_audit_or_store(
    api: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = create(api, "http://anna:marker-word@127.0.0.1:9/marker-path?marker-query=1")
    api.post(f"{PATH}/{made['id']}/test")
    outbox.send_due()
    pages = [api.get(path).content.decode() for path in (PATH, "/notices", "/api/notices", "/api/notices/sent")]
    api.post(f"{PATH}/{made['id']}/delete")
    pages += [answer_of(api.get("/api/audit"))["items"], caplog.text, list(Entry.objects.values())]
    assert [found for found in ("marker-", made["secret"]) if found in str(pages)] == []


@pytest.mark.engine
def test_the_store_has_neither_in_plain(api: ApiClient) -> None:
    made = create(api)
    api.post(f"{PATH}/{made['id']}/test")
    for model in apps.get_models():
        text = str(list(model._default_manager.values()))
        assert not [found for found in ("marker-path", made["secret"]) if found in text], model


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "needs an address"), ({"address": ""}, "needs an address"), ({"address": "  "}, "needs an address"),
        ({"address": 7}, "needs an address"), ({"address": ["https://x"]}, "needs an address"),
        ({"address": "8.8.8.8"}, "https://"), ({"address": "json://8.8.8.8/"}, "https://"),
        ({"address": "file:///etc/passwd"}, "https://"), ({"address": "https://"}, "https://"),
        ({"address": "https://user:pa]ss@8.8.8.8/x"}, "https://"),
        ({"address": "https://user:a\uff1fb@8.8.8.8/x"}, "https://"),
        ({"address": "https://[8.8.8.8/"}, "https://"),
        ({"address": "https://8.8.8.8:99999/"}, "https://"),
        ({"address": "https://8.8.8.8/a\nb"}, "https://"), ({"address": "https://8.8.8.8/" + "x" * 1000}, "1000"),
    ],
)  # fmt: skip
def test_what_is_not_accepted_is_400_with_words(body: dict[str, Any], said: str, api: ApiClient) -> None:
    response = api.post(PATH, body)
    assert (response.status_code, answer_of(response)["error"]) == (400, "bad_request")
    assert said in answer_of(response)["message"].replace(",", "")
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]"])
def test_a_host_that_is_not_public_is_refused(host: str, api: ApiClient, settings: LazySettings) -> None:
    settings.NOTIFY_PRIVATE = False
    response = api.post(PATH, {"address": f"https://{host}/hook"})
    assert (response.status_code, "not public" in answer_of(response)["message"]) == (400, True)
    assert not Webhook.objects.exists()


def test_a_check_holds_a_place_like_that_of_a_notice(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile: list[int] = []

    def checked(text: str) -> Any:
        for path, body in (("/api/notices", {"add": "ntfy://127.0.0.1:9/topic"}), (PATH, {"address": NOWHERE})):
            meanwhile.append(api.post(path, body).status_code)
        return check_url(text)

    monkeypatch.setattr(changes, "check_url", checked)
    create(api)
    assert meanwhile == [429, 429]


def test_an_account_has_at_most_five(api: ApiClient, alice: User, bob: User) -> None:
    make_webhook(bob)
    for _ in range(MOST):
        made, _ = make_webhook(alice)
    response = api.post(PATH, {"address": NOWHERE})
    assert (response.status_code, "at most 5" in answer_of(response)["message"]) == (400, True)
    api.post(f"{PATH}/{made.pk}/delete")
    create(api)


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_do_not_pass_the_limit(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(MOST - 1):
        make_webhook(alice)
    one, other = api_of(alice), api_of(alice)
    # Both have checked their address when they count.
    monkeypatch.setattr(changes, "_checked", lambda *_: Address(NOWHERE, "http"))
    together(lambda: one.post(PATH, {"address": NOWHERE}), lambda: other.post(PATH, {"address": NOWHERE}))
    assert Webhook.objects.count() == MOST


def test_who_was_disabled_meanwhile_creates_none(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(status=User.DISABLED)
    with pytest.raises(ApiError) as raised:
        changes.create(alice, {"address": NOWHERE}, Actor("alice", alice.pk))
    assert (raised.value.status, Webhook.objects.exists()) == (401, False)


@pytest.mark.parametrize("way", ["delete", "test"])
@pytest.mark.parametrize("which", ["another's", "nobody's", "no number"])
def test_another_id_is_404(way: str, which: str, api: ApiClient, bob: User) -> None:
    other, _ = make_webhook(bob)
    named = {"another's": other.pk, "nobody's": 10**6, "no number": "x"}[which]
    response = api.post(f"{PATH}/{named}/{way}")
    assert (response.status_code, set(answer_of(response))) == (404, {"ok", "message"})
    assert Webhook.objects.get() == other
    assert not Notice.objects.exists()


@pytest.mark.engine
def test_creation_and_deletion_are_audited_with_the_id_alone(api: ApiClient, alice: User) -> None:
    made = create(api)
    assert answer_of(api.post(f"{PATH}/{made['id']}/delete"))["ok"]
    entries = Entry.objects.filter(action__startswith="webhook").order_by("pk")
    assert [(one.action, one.user_id, one.search_text) for one in entries] == [
        ("webhook_create", alice.pk, f"webhook {made['id']}"), ("webhook_delete", alice.pk, f"webhook {made['id']}"),
    ]  # fmt: skip


@pytest.mark.parametrize("way", ["", "/{id}/delete", "/{id}/test"])
def test_a_change_needs_the_csrf_token(way: str, api: ApiClient, alice: User) -> None:
    webhook, _ = make_webhook(alice)
    response = api.post(PATH + way.format(id=webhook.pk), {"address": NOWHERE}, **{"X-CSRF-Token": "wrong"})
    assert (response.status_code, answer_of(response)["error"]) == (400, "bad_request")
    assert (Webhook.objects.count(), Delivery.objects.count()) == (1, 0)


@pytest.mark.parametrize("scope", SCOPES)
def test_no_token_opens_them(scope: str, alice: User) -> None:
    webhook, _ = make_webhook(alice)
    program = TokenClient.of(alice, scope)
    paths = (PATH, f"{PATH}/{webhook.pk}/delete", f"{PATH}/{webhook.pk}/test")
    assert [program.post(path, {"address": NOWHERE}).status_code for path in paths] == [403] * 3
    assert (program.get(PATH).status_code, Webhook.objects.count()) == (403, 1)


def test_a_test_is_signed_and_its_answer_is_listed(api: ApiClient, alice: User, at: Any) -> None:
    with receiving(204) as receiver:
        made = create(api, receiver.url)
        event = answer_of(api.post(f"{PATH}/{made['id']}/test"))["event"]
        assert (listed(api)[0]["waiting"], receiver.bodies) == (1, [])
        outbox.send_due()
    (body,), (headers,) = receiver.bodies, receiver.headers
    assert is_signed(headers, body, made["secret"])
    assert (headers["X-Event-Id"], f'"type":"test","id":"{event}"' in body) == (event, True)
    last = {"at": clock.local_text(NOW), "status": 204, "reason": ""}
    assert {name: listed(api)[0]["last"][name] for name in last} == last
    assert "it was taken (status 204)" in listed(api)[0]["last"]["words"]
    assert listed(api)[0]["waiting"] == 0


def test_few_tests_wait_at_once(api: ApiClient, alice: User) -> None:
    webhook, _ = make_webhook(alice)
    answers = [api.post(f"{PATH}/{webhook.pk}/test").status_code for _ in range(4)]
    assert (answers, Delivery.objects.count()) == ([200, 200, 200, 429], 3)


def test_under_another_key_it_is_broken_and_can_be_deleted(api: ApiClient, alice: User) -> None:
    webhook, _ = make_webhook(alice)
    Webhook.objects.update(sealed="gAAAAA" + "x" * 60)
    assert (listed(api)[0]["broken"], listed(api)[0]["address"]) == (True, "http://…")
    assert "Delete it and create it again" in api.get("/notices").content.decode()
    assert api.post(f"{PATH}/{webhook.pk}/delete").status_code == 200


def test_a_secret_is_masked_where_it_is_written() -> None:
    secret = new_secret()
    assert redacted(f"a line with {secret} in it") == "a line with [removed] in it"


def test_an_address_of_an_earlier_version_that_has_no_host_stops_nobody(alice: User) -> None:
    webhook, _ = make_webhook(alice, "https://user:pa]ss@hooks.example.org/x")
    place = stored_webhooks.place_of(webhook).id
    assert stored_webhooks.host_of(alice.pk, place)[1] == [place]
