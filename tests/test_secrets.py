"""The marker cookie, a token, the keys of all other kinds, and a second factor are used in every possible way; then all
output of the project is searched for them."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Self

import pytest
from django.conf import settings
from django.contrib import admin
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver
from django_q.models import OrmQ
from pytest_django.plugin import DjangoDbBlocker

from accounts.models import Archive, Setting
from accounts.signin.second_step import note_factor
from archive_site.combined_answers import api as site_api
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from audit.models import Entry
from collection import tasks
from collection.models import Heartbeat, Run
from collection.sources.anthropic_usage import simulator as anthropic
from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, Simulator
from collection.sources.kinds import KINDS
from collection.sources.litellm.simulator import Proxy
from collection.sources.new_api.simulator import Gateway
from collection.sources.openai_costs import simulator as openai
from collection.sources.openrouter.simulator import Router
from collection.sources.over_http import asking, wire
from collection.sources.over_http.simulated_api import SimulatedApi
from tests.accounts.second_factor.factors_of import code_of
from tests.collection.scripted_upstream import ScriptedUpstream, answer, in_json, rows
from tests.factories import ApiClient, make_user
from usage import ingest
from usage.models import Prompt
from usage.search import engine_index as search_index

MARKER = "marker0cookie0value"
AGENT = "Mozilla/5.0 (MarkerAgent0) 1.2.3"
pytestmark = [pytest.mark.thorough, pytest.mark.django_db]
SERVICES: dict[str, type[SimulatedApi]] = {
    "litellm": Proxy, "new-api": Gateway, "openrouter": Router,
    "openai-costs": openai.Organisation, "anthropic-usage": anthropic.Organisation,
}  # fmt: skip
TIMELESS = [name for name in FAULT_NAMES if name not in ("hang", "drip")]


class Used:
    """An instance on which the marker was used: three clients and all answers that they got."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.cookie = f"{simulator.cookie()}; tracker={MARKER}"
        self.alice, self.bob, self.root = make_user("alice"), make_user("bob"), make_user("root", is_admin=True)
        # What is shown once, and what is never shown.
        self.secrets = set_codes_up(ApiClient.signed_in(self.alice).entered())
        self.clients = {user.username: ApiClient.signed_in(user) for user in (self.alice, self.bob, self.root)}
        session = self.clients["alice"].entered().client.session
        note_factor(session)
        session.save()
        self.answers: list[tuple[str, str]] = []

    @property
    def needles(self) -> list[str]:
        """The marker, and the parts of the cookie that give access."""
        session, _, other = self.simulator.cookie().partition("; ")
        token = self.simulator.token()
        return [
            MARKER, session.partition("=")[2], session.rpartition("|")[2], other.partition("=")[2],
            token, token.rpartition(".")[2], *self.secrets,
        ]  # fmt: skip

    def keep(self, name: str, response: Any) -> Any:
        body = b"".join(response.streaming_content) if response.streaming else response.content
        text = "".join(part.decode(errors="replace") for part in [body, *unpacked(body)])
        self.answers.append((name, f"{response.headers}{response.cookies}{text}"))
        return response

    def get(self, who: str, path: str) -> Any:
        # The test reads more in a minute than the limit allows.
        caches["counters"].clear()
        return self.keep(f"GET {path} as {who}", self.clients[who].get(path))

    def post(self, who: str, path: str, body: object) -> Any:
        return self.keep(f"POST {path} as {who}", self.clients[who].post(path, body))

    def collect(self) -> Any:
        return self.post("alice", "/api/collect", {"from": clock.today().isoformat()})

    def try_out(self) -> Any:
        # The interval is not under test.
        caches["counters"].clear()
        return self.post("alice", "/api/credential/test", {"cookie": self.cookie})

    def point_at(self, url: str) -> None:
        bases = {"api_base": url, "token_base": url}
        self.post("root", "/api/settings", {**bases, "collect_min_interval_seconds": 0, "verify_days": 0})


def set_codes_up(owner: ApiClient) -> list[str]:
    """The secret of the codes, and the recovery codes."""
    secret = owner.post("/api/second-factor/codes").json()["secret"]
    return [secret, *owner.post("/api/second-factor/codes/confirm", {"code": code_of(secret)}).json()["recovery"]]


def unpacked(body: bytes) -> list[bytes]:
    """The members of a ZIP file; none of anything else."""
    if not body.startswith(b"PK"):
        return []
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        return [file.read(name) for name in file.namelist()]


def paste(used: Used) -> None:
    """The marker in valid and in refused settings."""
    curl = f"curl 'https://x.example/' -H 'Cookie: {used.cookie}' -H 'User-Agent: {AGENT}'"
    for cookie in (used.cookie, f"Cookie: {used.cookie}", curl):
        assert used.post("alice", "/api/settings", {"cookie": cookie, "user_agent": AGENT}).status_code == 200
    for bad in (f"session={MARKER}\nother", f"session={MARKER}" + "x" * 8000, f"curl '{MARKER}", f"{MARKER}=中"):
        assert used.post("alice", "/api/settings", {"cookie": bad}).status_code == 400
    assert used.post("bob", "/api/settings", {"timeout": used.cookie, "no_key": used.cookie}).status_code == 400
    assert used.post("root", "/api/settings", {"timeout": used.cookie, "api_base": used.cookie}).status_code == 400
    used.keep("POST /config", used.clients["alice"].client.post("/config", {"cookie": used.cookie, "_csrf": "wrong"}))


def use_token(used: Used) -> None:
    """The token of a device login, given, tested, asked with, and refused."""
    token, path = used.simulator.token(), f"/api/archives/{used.bob.pk}"
    for given in ({"token": token}, {"token": f"{token} {token}"}, {"token": token, "user_id": token * 9}):
        caches["counters"].clear()
        used.post("bob", f"{path}/test", {"credential": given})
        used.post("bob", path, {"credential": given})
    for fault in ("", "expired_401_html", "api_code"):
        if fault:
            used.simulator.faults.fail(fault)
        used.post("bob", "/api/collect", {"from": clock.today().isoformat()})
        used.simulator.faults.clear()


def use_keys(used: Used) -> None:
    """The keys of services, given, tested, asked with, refused, and repeated by answers."""
    for kind, service in SERVICES.items():
        with service(clock.now, days=2, per_day=5) as running:
            made = Archive.objects.create(
                user_id=used.root.pk, kind=kind, unit=KINDS[kind].unit.code, label=kind, address=running.base_url
            )
            fields = {"token": running.key[:32], "user_id": "7"} if kind == "new-api" else {"key": running.key}
            secret = next(iter(fields.values()))
            used.secrets += [secret, secret[-24:]]
            for given in ({**fields, "more": secret}, dict.fromkeys(fields, secret * 90), fields):
                caches["counters"].clear()
                used.post("root", f"/api/archives/{made.pk}/test", {"credential": given})
                used.post("root", f"/api/archives/{made.pk}", {"credential": given})
            for fault in ("", "server_error", "page_of_html", "redirect", *running.own_answers):
                if fault:
                    running.fail(fault)
                used.post("root", f"/api/collect?archive={made.pk}", {})
                running.clear()
            with ScriptedUpstream(in_json({"success": False, "error": f"not {secret}", "message": secret})) as server:
                Archive.objects.filter(pk=made.pk).update(address=server.url)
                used.post("root", f"/api/collect?archive={made.pk}", {})
            for path in ("/", "/archives", "/runs", "/config", "/api/status"):
                used.get("root", f"{path}?archive={made.pk}")


def collect_with_every_outcome(used: Used, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS", (0.0,) * 4)
    monkeypatch.setattr(wire, "MAX_BODY", 2 * 1024 * 1024)
    monkeypatch.setattr(settings, "SOURCES_PRIVATE", True)
    used.point_at(used.simulator.base_url)
    used.simulator.faults.huge_bytes = 3 * 1024 * 1024
    assert used.collect().status_code == 200
    assert used.try_out().json()["outcome"] == "fine"
    use_token(used)
    use_keys(used)
    for fault in TIMELESS:
        used.simulator.faults.fail(fault)
        used.collect()
        used.try_out()
        used.simulator.faults.clear()
    repeat = f"not like that: {used.cookie}"
    refusals = [
        in_json({"code": 5, "msg": repeat}),
        answer(302, Location=f"https://elsewhere.example/{MARKER}"),
        answer(500, repeat),
        rows({"requestId": None, "requestTime": repeat, "credit": repeat}, {}),
    ]
    for step in refusals:
        with ScriptedUpstream(step) as server:
            used.point_at(server.url)
            used.collect()
            used.try_out()
    used.point_at(used.simulator.base_url)


def collect_in_the_background(used: Used) -> str:
    """Execute one queued run and leave another one waiting; return the decoded contents of the queue."""
    Heartbeat.objects.update_or_create(name="scheduler", defaults={"at": clock.now()})
    run = used.post("alice", "/api/collect", {"background": True}).json()["run_id"]
    tasks.collect_run(run)
    assert used.post("alice", "/api/collect", {"background": True}).status_code == 202
    return "".join(f"{waiting.task}" for waiting in OrmQ.objects.all())


def break_on_purpose(used: Used, monkeypatch: pytest.MonkeyPatch) -> None:
    """Internal failures whose texts contain the cookie."""

    def fail(*values: object, **options: object) -> None:
        cookie = used.cookie
        raise RuntimeError(f"failed with {cookie!r}")

    with monkeypatch.context() as broken:
        broken.setattr(ingest, "take_in", fail)
        assert used.collect().status_code == 500
    with monkeypatch.context() as broken:
        broken.setattr(site_api, "status_of", fail)
        assert used.get("alice", "/api/status").status_code == 500
    used.post("alice", "/api/settings", {"cookie": "__clear__"})
    assert used.collect().json()["error"] == "no_cookie"
    used.post("alice", "/api/settings", {"cookie": used.cookie})
    Setting.objects.filter(key="cookie").update(value="gAAAAAnot-ours")
    assert used.collect().json()["error"] == "cookie_broken"
    used.post("alice", "/api/settings", {"cookie": used.cookie})


def get_routes(resolver: URLResolver | None = None, prefix: str = "/") -> Iterator[str]:
    """Every path of the project, a 1 for each parameter."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern).lstrip("^").replace(r"(?P<rest>(?s:.*))\Z", "unknown")
        while "<" in path:
            path = path[: path.index("<")] + "1" + path[path.index(">") + 1 :]
        if isinstance(entry, URLResolver):
            yield from get_routes(entry, path)
        elif isinstance(entry, URLPattern):
            yield path.split("(?P")[0].rstrip("$")


def read_everything(used: Used) -> None:
    objects = [
        f"/admin/{model._meta.label_lower.replace('.', '/')}/{pk}/change/"
        for model in admin.site._registry
        for pk in list(model._default_manager.order_by("-pk").values_list("pk", flat=True))[:12]
    ]
    paths = list(dict.fromkeys([*get_routes(), *objects]))
    for who in used.clients:
        for path in paths:
            if not path.startswith("/admin/logout"):
                used.get(who, path)
    for run in Run.objects.values_list("pk", flat=True):
        used.get("alice", f"/api/runs/{run}")
    used.keep("anonymous", ApiClient().get("/login"))


def files() -> dict[str, bytes]:
    """The database (as SQLite's file with its write-ahead log, or as rows), and the log of the application."""
    found = [*Path(settings.DATA_FOLDER.log).parent.iterdir()]
    if engine.IS_SQLITE:
        store = Path(str(connection.settings_dict["NAME"]))
        found += store.parent.glob(f"{store.name}*")
    data = {path.name: path.read_bytes() for path in found if path.is_file()}
    if not engine.IS_SQLITE:
        tables = connection.introspection.table_names()
        data |= {f"test: {table}": str(fetch(f'SELECT * FROM "{table}"')).encode() for table in tables}
    return data


@dataclass(frozen=True)
class Evidence:
    """All output while the cookie was in use, and the cookie."""

    cookie: str
    needles: list[str]
    sent: set[str]
    exit_codes: set[int | None]
    texts: list[tuple[str, str]]
    files: dict[str, bytes]
    prompts: set[str]
    collected: set[str]

    @classmethod
    def of(cls, used: Used, queue: str) -> Self:
        texts = [*used.answers, ("the queue", queue)]
        texts += [(f"run {run.pk}", run.detail + run.message) for run in Run.objects.all()]
        texts += [(f"audit {entry.pk}", f"{entry.action}{entry.actor}{entry.detail}") for entry in Entry.objects.all()]
        sent = {request.headers["Cookie"] for request in used.simulator.requests_seen if "Cookie" in request.headers}
        exit_codes = set(Run.objects.values_list("exit_code", flat=True))
        # Shorter ones are words that stand anywhere.
        prompts = {prompt for prompt in Prompt.objects.values_list("text", flat=True) if len(prompt) >= 24}
        good = Run.objects.filter(status=Run.Status.OK).values_list("archive_id", flat=True)
        collected = set(Archive.objects.filter(pk__in=good).values_list("kind", flat=True))
        return cls(used.cookie, used.needles, sent, exit_codes, texts, files(), prompts, collected)

    def places(self, needle: str) -> list[str]:
        """The places of a text, also as JSON or HTML would write it."""
        forms = {needle, json.dumps(needle)[1:-1], escape(needle)}
        found = [name for name, text in self.texts if any(form in text for form in forms)]
        return found + [name for name, data in self.files.items() if needle.encode() in data]


@pytest.fixture(scope="module")
def evidence(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Evidence:
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(settings, "DEBUG", False)
        with Simulator(days=2, per_day=15) as simulator:
            used = Used(simulator)
            paste(used)
            collect_with_every_outcome(used, monkeypatch)
            break_on_purpose(used, monkeypatch)
            queue = collect_in_the_background(used)
            read_everything(used)
            found = Evidence.of(used, queue)
        call_command("flush", interactive=False, verbosity=0)
        # The table of the search index has no model.
        search_index.drop()
        search_index.create()
    return found


@pytest.mark.engine
def test_no_secret_is_anywhere(evidence: Evidence) -> None:
    assert {needle: evidence.places(needle) for needle in evidence.needles} == dict.fromkeys(evidence.needles, [])


def test_only_its_owner_sees_the_user_agent(evidence: Evidence) -> None:
    places = {name for name in evidence.places(AGENT) if name not in evidence.files or name.startswith("app.log")}
    assert places == {"GET /api/settings as alice", "GET /config as alice"}


def test_each_kind_was_collected(evidence: Evidence) -> None:
    assert evidence.collected == {"codebuddy", *SERVICES}


def test_the_file_of_the_account_was_read(evidence: Evidence) -> None:
    [text] = [text for name, text in evidence.texts if name == "GET /api/account/export as alice"]
    assert '"format":"usage-archive-account"' in text.replace(" ", "")


def test_the_cookie_was_sent_as_it_was_pasted(evidence: Evidence) -> None:
    assert (evidence.sent, MARKER in evidence.cookie) == ({evidence.cookie}, True)


def test_no_prompt_is_in_the_log_the_audit_log_a_run_or_the_queue(evidence: Evidence) -> None:
    places = [place for prompt in evidence.prompts for place in evidence.places(prompt)]
    assert any(place.startswith("GET ") for place in places)
    assert not [place for place in places if place.startswith(("app.log", "audit ", "run ", "the queue"))]


def test_runs_ended_in_every_way(evidence: Evidence) -> None:
    assert evidence.exit_codes >= {0, 1, 2, 3, 4, 5}


def test_everything_was_looked_at(evidence: Evidence) -> None:
    assert {"/api/settings", "/config", "/admin/", "/api/runs/1", "/api/unknown"} <= set(get_routes())
    named = {name for name, _ in evidence.texts}
    assert {
        f"GET {path} as {who}" for path in ("/", "/api/runs", "/admin/") for who in ("alice", "bob", "root")
    } <= named
    assert b"failed with" in evidence.files["app.log"]
    assert any(name.startswith("test") for name in evidence.files)
