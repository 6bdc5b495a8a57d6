"""The answers of every endpoint, byte for byte as they were recorded (docs/api.md#reads).

To record them anew: delete `recorded_answers.txt`, run this test twice, and look at what changed.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from accounts.models import Notice, User
from archive_site import __version__
from archive_site.lib import clock
from archive_site.lib.http.described import JSON
from archive_site.lib.http.operations import operations
from collection.models import Heartbeat
from collection.runs.run_start import HEARTBEAT
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.accounts.second_factor.factors_of import code_of
from tests.accounts.webhooks.hooks import make_webhook
from tests.backups.tiny_archives import broken, kept
from tests.collection.collector_run import confirm, set_up
from tests.contract.checked_answers import template_of
from tests.factories import PASSWORD, ApiClient, make_user
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, on
from usage.reads import dimensions

RECORDED = Path(__file__).with_name("recorded_answers.txt")
# Those whose answer is a file, or this description itself.
NO_JSON = {"GET /api/account/export", "GET /api/openapi.json"}
_ROWS = (
    "request_id,credits,model,client,ts,prompt",
    "new,2,glm,ide,2026-09-07 12:30:00,",
    "r1,9,a,b,2026-09-01 12:00:00,",
    "x,y",
)
CSV = "\n".join(_ROWS).encode()
# A cell with a byte that is no text, a row that is left out, and a call that comes with two values.
ODD_ROWS = b"""
b,3,glm,ide,2026-09-07 12:30:00,na\xefve \xe4\xbd\xa0
c,many,glm,ide,2026-09-07 12:30:00,
d,1,glm,ide,2026-09-07 12:30:00,
d,1,glm,ide,2026-09-07 12:30:00,
d,2,glm,ide,2026-09-07 12:30:00,
"""
UNNAMED_CSV = b"a,b,c\nr1,1,2026-09-07 12:30:00\n"
OF_NO_ENCODING = "request_id,credits,time,client\na1,1,2026-09-07 12:30:00,\u56e7\u56e7\n".encode("gb18030")
NEW_PASSWORD = "another Horse 8"
# What differs from run to run, and what stands for it.
VARYING = [
    (r"ua_[0-9A-Za-z_-]{20,}", "<token>"),
    (r'("beginning": ")[^"]+', r"\1<beginning>"),
    (r'("secret": ")[^"]+', r"\1<secret>"),
    (r'("(?:uri|picture|challenge|id)": ")[^"]{40,}', r"\1<made>"),
    (r'("recovery": )\[[^]]+', r"\1[<codes>"),
    (r'("code": ")[0-9]{6}"', r'\1<code>"'),
    (r"/invitation/[\w-]+", "/invitation/<link>"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>"),
    (r'("event": ")[0-9a-f]{8}"', r'\1<event>"'),
    (r'("sha256": ")[0-9a-f]{64}', r"\1<hash>"),
    (r'("size": )[0-9]+(, "size_human")', r"\1<size>\2"),
    (r'("(?:size|total)_human": ")[^"]+', r"\1<size>"),
    (r'("bytes":) ?[0-9]+', r"\1<bytes>"),
    (r"[0-9.]+ [KM]B\b", "<size>"),
    (r'("duration_ms": )[0-9]+', r"\1<duration>"),
    (r'("image_url": ")[^"]+', r"\1<address>"),
    (r"127\.0\.0\.1:[0-9]{4,5}", "<simulator>"),
    # The counter of further archives goes on from that of the tests before.
    (r"\b4294967[0-9]{3}\b", "4294967296"),
    # The place in a history begins with the id of the store.
    (r'("next": ")[^"]+(", "more")', r"\1<place>\2"),
    (r'("path": ?")[^"]+(", ?"role")', r"\1<store>\2"),
]
# A backup is made outside of transactions.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite_only]


class Recorder:
    """Asks as one of three visitors, and keeps each answer with what varies masked."""

    def __init__(self, **visitors: ApiClient) -> None:
        self._visitors = visitors
        self.lines: list[str] = []
        self.asked: set[str] = set()

    def enter_password(self, who: str) -> None:
        self._visitors[who].entered()

    def get(self, path: str, who: str = "alice") -> Any:
        return self._keep(who, "GET", path, "", self._visitors[who].client.get(path))

    def post(self, path: str, body: Any = None, who: str = "alice") -> Any:
        answer = self._visitors[who].post(path, body)
        return self._keep(who, "POST", path, "" if body is None else f" {json.dumps(body)}", answer)

    def send(self, path: str, content: bytes, who: str = "alice", **fields: str) -> Any:
        visitor = self._visitors[who]
        form = {"file": SimpleUploadedFile("calls.csv", content), **fields}
        answer = visitor.client.post(path, form, headers={"X-CSRF-Token": visitor.token})
        return self._keep(who, "POST", path, f" {fields}", answer)

    def file(self, path: str, who: str = "alice") -> bytes:
        """A file that varies, and is not kept."""
        return b"".join(self._visitors[who].get(path).streaming_content)

    def _keep(self, who: str, method: str, path: str, body: str, answer: Any) -> Any:
        self.asked.add(f"{method} {template_of(path.partition('?')[0])}")
        text = "" if answer.streaming else answer.content.decode()
        self.lines.append(_masked(f"{who} {method} {path}{body}\n{answer.status_code} {text}\n"))
        return json.loads(text) if answer.headers.get("Content-Type") == JSON and text else None


def _masked(text: str) -> str:
    for pattern, masked in VARYING:
        text = re.sub(pattern, masked, text)
    return text.replace(str(settings.DATA_FOLDER.home), "<home>").replace(__version__, "<version>")


@pytest.fixture
def no_backups() -> Iterator[None]:
    """No backups of other tests are there, and none stay."""
    _remove_backups()
    yield
    _remove_backups()


def _remove_backups() -> None:
    for path in settings.DATA_FOLDER.backups.glob("*"):
        path.unlink()


@pytest.fixture
def recorder(transactional_db: None, anonymous: ApiClient, simulator: Simulator, no_backups: None) -> Recorder:
    with connection.cursor() as cursor:
        # Tests with real transactions have raised the next ids.
        cursor.execute("UPDATE sqlite_sequence SET seq = 0 WHERE name <> 'accounts_archive'")
    alice, bob, root = make_user("alice"), make_user("bob"), make_user("root", is_admin=True)
    set_up(alice, simulator, page_size="100")
    confirm(alice)
    Heartbeat.objects.create(name=HEARTBEAT, at=clock.now())
    archive(
        alice,
        *(on(f"2026-09-{day:02}", f"r{day}", model=model, client=client, credits=day / 4, agent_purpose=purpose)
          for day, model, client, purpose in [(1, "glm", "ide", "chat"), (2, "", "ide", ""), (9, "élan", "", "编程")]),
        call("free/1", credits=0, prompt='say "hello" 你好', ts="2026-09-16 09:00:00"),
        call("long", prompt="x" * 200, prompt_truncated=True, ts="2025-09-16 09:00:00"),
    )  # fmt: skip
    make_webhook(alice)
    notice = Notice.objects.create(
        user_id=alice.pk, event="cookie_refused", cause="c", stored_begin="It ended.", began_at=clock.now()
    )
    for state, reason in (("sent", ""), ("failed", "timeout"), ("waiting", "refused")):
        notice.deliveries.create(
            user_id=alice.pk, part="begin", address=state, shown="ntfy", state=state, reason=reason, next_at=clock.now()
        )
    signed_in = {user.username: ApiClient.signed_in(user) for user in (alice, bob, root)}
    return Recorder(nobody=anonymous, **signed_in)


def _reads(ask: Recorder) -> None:
    for path in ("manifest", "status", "coverage", "coverage?from=2026-09-08&to=2026-09-01", "forecast", "changes"):
        for who in ("alice", "bob", "root", "nobody"):
            ask.get(f"/api/{path}", who)
    for filters in (
        "", "from=2026-09-01&to=2026-09-30", "to=2026/09/02", "from=no", "model=glm&no_client=1", "purpose=chat",
    ):  # fmt: skip
        for path in ("summary", "daily", "dims", "top", "repeated", "records"):
            ask.get(f"/api/{path}?{filters}")
        ask.get(f"/api/bundle?{filters}")
    for compared in ("previous", "month", "year", "2026-09-01..2026-09-02", "none", "soon"):
        for path in ("summary", "daily", "dims"):
            ask.get(f"/api/{path}?from=2026-09-01&compare={compared}")
    for given in ("dim=hour", "dim=purpose&trend=1", "dim=other&trend=on", "trend=2"):
        ask.get(f"/api/dims?{given}")
    for given in ("n=2", "n=0", "n=many", "n=9999999999999999999999"):
        ask.get(f"/api/top?{given}")
    ask.get("/api/bundle?topN=1", "root")
    for given in (
        "size=1", "size=2&page=2&order=ts_asc", "size=0&page=-1", "page=x&size=501", "order=credits_desc&lean=1",
        "columns=purpose&sums=1", "columns=all", "sums=maybe", "q=HELLO", f"q={'x' * 1001}", "free=1", "free=0&hour=12",
        "hour=24", "with_prompt=1", "with_prompt=0", "credits_above=0.5", "credits_above=-1", "after=none",
        "format=xml", "format=csv", "format=jsonl&columns=purpose", "format=csv&lean=1", "no_purpose=1",
        "from=2030-01-01",
    ):  # fmt: skip
        ask.get(f"/api/records?{given}")
    following = ask.get("/api/records?size=2&lean=1")["next"]
    ask.get(f"/api/records?size=2&lean=1&after={following}")
    for name in ("r1", "free/1", "long", "none"):
        ask.get(f"/api/records/{name}")
    for given in ("size=2", "size=0", "since=none"):
        ask.get(f"/api/changes?{given}")


def _own_rows(ask: Recorder) -> None:
    """Saved views, budgets, and for how long calls are kept."""
    ask.post("/api/views", {"name": "mine", "query": "free=1"})
    ask.post("/api/views", {"name": ["mine"]})
    ask.post("/api/views", {})
    view = ask.get("/api/views")["items"][0]["id"]
    ask.post(f"/api/views/{view}", {"name": "ours"})
    for number in (view, view, "x"):
        ask.post(f"/api/views/{number}/delete")
    ask.post("/api/views/0", {"name": "none"})
    for body in (
        {"period": "month", "credits": 10, "model": "glm"},
        {"period": "week", "credits": "0.5", "thresholds": [90, 10, 90], "first_day": 3},
        {"period": "year", "credits": 1},
        {"id": "0", "credits": 1},
        {"id": 1, "credits": -1},
        {},
    ):
        ask.post("/api/budgets", body)
    budget = ask.get("/api/budgets")["items"][0]["id"]
    ask.post("/api/budgets", {"id": budget, "credits": 20})
    for number in (budget, budget):
        ask.post(f"/api/budgets/{number}/delete")
    ask.enter_password("alice")
    both = {"calls_days": None, "prompts_days": None}
    for choice in ({"calls_days": 3650, "prompts_days": 1}, {**both, "calls_days": 0}, both, {}):
        ask.post("/api/retention/preview", choice)
        ask.post("/api/retention", choice)
        ask.get("/api/retention")


def _collecting(ask: Recorder, time: SetClock) -> None:
    ask.post("/api/collect", {"from": "2026-09-15", "to": "2026-09-16"})
    for body in ({"from": "soon"}, {"from": "2026-09-02", "to": "2026-09-01"}, {"from": "2020-01-01"}):
        ask.post("/api/collect", body)
    ask.post("/api/collect", who="bob")
    queued = ask.post("/api/collect", {"background": True})["run_id"]
    ask.post("/api/collect/older")
    for number in (queued, queued, 0):
        ask.post(f"/api/runs/{number}/stop")
    for path, body in (("collect/older", {}), ("verify", {"from": "2026-09-15"})):
        ask.post(f"/api/runs/{ask.post(f'/api/{path}', body)['run_id']}/stop")
    ask.post("/api/verify", {"from": "soon"})
    for path in ("runs", "runs?limit=1", "runs?limit=x", "runs/1", "runs/x", "status", "manifest"):
        ask.get(f"/api/{path}")
    ask.post("/api/credential/test", {})
    ask.post("/api/credential/test", {})
    time.pass_by(minutes=1)
    ask.post("/api/credential/test", {"cookie": "session=none"})
    ask.post("/api/credential/test", {"cookie": "a\nb"}, "bob")
    for action in ("recount", "recount", "vacuum", "fill-prompt", "other", ""):
        ask.post(f"/api/maintenance/{action}")
    ask.post("/api/maintenance/export-csv", {"columns": "all"})
    ask.send("/api/import", CSV, dry_run="1")
    ask.send("/api/import", CSV)
    ask.send("/api/import", b"\x00", zone="Asia/Shanghai")
    ask.send("/api/import", b"a,b\n1,2\n", columns='{"time": "b"}')
    ask.send("/api/import", CSV, columns="[]")
    ask.post("/api/import")


def _own_account(ask: Recorder) -> None:
    """Settings, profile, password, tokens, webhooks and notices."""
    body: Any
    for who in ("alice", "root"):
        ask.get("/api/settings", who)
    for body in (
        {}, {"user_agent": "Mozilla/5.0 (X11; Linux x86_64)", "slot:x": "1"}, {"page_size": "50"}, {"unknown": "1"},
        {"cookie": "-"}, {"cookie": "a\nb", "user_agent": ""},
    ):  # fmt: skip
        ask.post("/api/settings", body)
    ask.post("/api/settings", {"page_size": 10, "timeout": "30", "schedule_times": "08:00, 7:5"}, "root")
    for body in ({"display_name": "Alice", "theme": "dark"}, {"language": "fr"}, {"email": None}, {"email": "x"}, {}):
        ask.post("/api/profile", body)
    ask.post("/api/reauthenticate", {"password": PASSWORD})
    ask.post("/api/reauthenticate", {"password": 7})
    ask.post("/api/password/notice")
    ask.post("/api/sessions/end-others")
    ask.post("/api/captcha")
    for body in (
        {"name": " cron  job ", "scopes": ["read"], "days": 30}, {"name": "all", "scopes": ["read", "export"]},
        {"name": "", "scopes": []}, {"name": "x", "scopes": "read"}, {"name": "x", "scopes": ["read"], "days": 0},
    ):  # fmt: skip
        ask.post("/api/tokens", body)
    token = ask.get("/api/tokens")["items"][0]["id"]
    for number in (token, token):
        ask.post(f"/api/tokens/{number}/revoke")
    for address in ("http://127.0.0.1:9/hook", "ftp://example.org", 7):
        ask.post("/api/webhooks", {"address": address})
    webhook = ask.get("/api/webhooks")["items"][0]["id"]
    for events in ([], ["collection", "notice"]):
        ask.post(f"/api/webhooks/{webhook}", {"events": events})
    for action in ("test", "delete", "delete", "test"):
        ask.post(f"/api/webhooks/{webhook}/{action}")
    _notices(ask)


def _notices(ask: Recorder) -> None:
    body: Any
    for who in ("alice", "root"):
        ask.get("/api/notices", who)
    for body in (
        {"quiet_from": "22:00", "quiet_to": "7:00"}, {"quiet_from": "late"}, {"events": {"new": True}}, {"events": []},
        {"summaries": {"week": True}, "summary_prompts": True}, {"addresses": "x"}, {"remove": "none"}, {},
    ):  # fmt: skip
        ask.post("/api/notices", body)
    ask.post("/api/notices/test", {})
    ask.post("/api/notices/test", {"id": "none"})
    ask.get("/api/notices/sent")


def _administration(ask: Recorder) -> None:
    body: Any
    for body in (
        {"username": "carol", "password": "password 1", "password2": "password 1", "email": "c@example.org"},
        {"username": "carol", "password": NEW_PASSWORD, "password2": NEW_PASSWORD},
        {"username": "-", "password": "short"},
        {},
    ):
        ask.post("/api/users", body, "root")
    carol = User.objects.get(username="carol").pk
    for body in ({"display_name": "C", "is_admin": True}, {"status": "disabled"}, {"status": "on"}, {}, {"email": "x"}):
        ask.post(f"/api/users/{carol}", body, "root")
    ask.post("/api/users/0", {"display_name": "C"}, "root")
    ask.get("/api/users", "root")
    ask.get("/api/users")
    ask.post("/api/users/invitations", {"username": "dave"}, "root")
    ask.post("/api/users/invitations", {"username": "-"}, "root")
    invitation = ask.get("/api/users/invitations", "root")["items"][0]["id"]
    for number in (invitation, invitation):
        ask.post(f"/api/users/invitations/{number}/revoke", who="root")
    ask.post(f"/api/users/{carol}/delete", {"keep_data": "yes"}, "root")
    ask.post(f"/api/users/{carol}/delete", {}, "root")
    for given in ("", "size=2&page=2", "action=user_create", "actor=root&q=carol", f"q={'x' * 1001}"):
        ask.get(f"/api/audit?{given}", "root")
    ask.get("/api/audit")
    ask.post("/api/password", {"old": PASSWORD, "new": NEW_PASSWORD, "new2": "other"}, "bob")
    ask.post("/api/password", {"old": "wrong", "new": NEW_PASSWORD, "new2": NEW_PASSWORD}, "bob")
    ask.post("/api/password", {"old": PASSWORD, "new": NEW_PASSWORD, "new2": NEW_PASSWORD, "end_tokens": 1}, "bob")


def _backups(ask: Recorder) -> None:
    ask.get("/api/backups", "root")
    ask.get("/api/backups")
    for path in ("x.zip", "backup-20200101-000000-manual.zip"):
        ask.get(f"/api/backups/{path}", "root")
        for action in ("check", "restore", "delete"):
            ask.post(f"/api/backups/{path}/{action}", {}, "root")
    made, unreadable = kept(clock.now(), note="before").name, broken().name
    ask.get("/api/backups", "root")
    for name in (made, unreadable):
        for action in ("check", "delete", "delete"):
            ask.post(f"/api/backups/{name}/{action}", {}, "root")
    ask.post("/api/backups/prune", {}, "root")
    for note in ("a\x07", " before  the\tmove "):
        ask.post("/api/backups", {"note": note}, "root")


def _imports(ask: Recorder) -> None:
    """Files with odd rows, files that cannot be read, and the file of an account."""
    for content in (CSV + ODD_ROWS, UNNAMED_CSV, OF_NO_ENCODING):
        ask.send("/api/import", content, dry_run="1")
    of_account = ask.file("/api/account/export")
    ask.send("/api/import", of_account, "bob", dry_run="1")
    ask.send("/api/import", of_account, "bob")
    ask.send("/api/import", of_account, "bob", dry_run="on")


def _many_names(ask: Recorder) -> None:
    """Sums of more names than are listed."""
    for given in (
        "", "dim=purpose&trend=1", "from=2026-09-05&compare=month", "dim=model&compare=2026-09-01..2026-09-02",
    ):  # fmt: skip
        ask.get(f"/api/dims?{given}")
    ask.get("/api/bundle?from=2026-09-01&to=2026-09-02")


def _archives(ask: Recorder) -> None:
    """Several archives of an account, and what names one of them."""
    body: Any
    ask.get("/api/archives")
    for body in (
        {"kind": "codebuddy", "label": " At  work ", "credential": {"cookie": "session=second"}},
        {"kind": "none", "label": "x"}, {"kind": "codebuddy", "label": ""}, {},
    ):  # fmt: skip
        ask.post("/api/archives", body)
    second = ask.get("/api/archives")["items"][1]["id"]
    for body in ({"rate": {"amount": "0.01", "unit": "USD"}}, {"rate": {"amount": 0, "unit": "USD"}}):
        ask.post(f"/api/archives/{second}", body)
    for span in ("", "?from=2026-09-01&to=2026-09-07", "?from=no"):
        ask.get(f"/api/archives/totals{span}")
        ask.get(f"/api/bills{span}")
    ask.get("/api/packages")
    ask.get("/api/orders")
    for body in ({"label": "Renamed"}, {"kind": "other"}, {"credential": "x"}, {"credential": None}):
        ask.post(f"/api/archives/{second}", body)
    ask.post(f"/api/archives/{second}/test")
    for named in (second, "x", "all", 7):
        ask.get(f"/api/summary?archive={named}")
        ask.get(f"/api/records?archive={named}&from=no")
        ask.post(f"/api/verify?archive={named}", {"from": "soon"})
    for label in ("none", "Renamed", "Renamed"):
        ask.post(f"/api/archives/{second}/delete", {"label": label})


def _private(ask: Recorder) -> None:
    """Second factors, sign-in elsewhere, the privacy of prompts, and leaving."""
    body: Any
    for who in ("alice", "root"):
        ask.enter_password(who)
    ask.get("/api/second-factor")
    secret = ask.post("/api/second-factor/codes")["secret"]
    for code in ("123", code_of(secret, 50), code_of(secret)):
        ask.post("/api/second-factor/codes/confirm", {"code": code})
    ask.post("/api/second-factor/recovery")
    ask.post("/api/second-factor/passkeys/options")
    for body in ({"name": ""}, {"name": "Laptop", "credential": {}}):
        ask.post("/api/second-factor/passkeys", body)
    ask.post("/api/second-factor/passkeys/alone", {"alone": True})
    ask.post("/api/second-factor/passkeys/0/remove")
    ask.get("/api/second-factor")
    ask.post("/api/second-factor/codes/remove")
    for number in (User.objects.get(username="bob").pk, 0):
        ask.post(f"/api/users/{number}/second-factor/reset", {}, "root")
        ask.post(f"/api/users/{number}/openid", {"subject": "s"}, "root")
    ask.get("/api/openid")
    ask.post("/api/openid/remove")
    for body in (
        {"mode": "hash"},
        {"mode": "beginning", "length": 20},
        {"mode": "none"},
        {"mode": "whole", "length": 0},
    ):
        ask.post("/api/privacy", body)
    ask.post("/api/privacy/apply")
    ask.get("/api/privacy")
    for who, name in (("root", "root"), ("bob", "alice"), ("bob", "bob")):
        ask.post("/api/account/delete", {"username": name, "password": "wrong"}, who)
    ask.post("/api/account/delete", {"username": "bob", "password": NEW_PASSWORD}, "bob")


def test_each_answer_of_every_endpoint_is_byte_for_byte_as_it_was_recorded(
    recorder: Recorder, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reads(recorder)
    _own_rows(recorder)
    _collecting(recorder, time)
    _own_account(recorder)
    _administration(recorder)
    _backups(recorder)
    _imports(recorder)
    monkeypatch.setattr(dimensions, "MOST_NAMES", 1)
    _many_names(recorder)
    _archives(recorder)
    _private(recorder)
    found = "\n".join(recorder.lines)
    if not RECORDED.exists():
        RECORDED.write_bytes(found.encode())
        pytest.fail("The answers are recorded anew.")
    assert found == RECORDED.read_bytes().decode()
    known = {f"{one.method} {one.path}" for one in operations() if one.path.startswith("/api/")}
    assert known - recorder.asked == NO_JSON
