"""docs/metrics.md, the alert rules and the dashboard name what the service gives."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.storage import engine
from backups import automatic
from collection import nodes, watermark
from collection.schedule.scheduler import beat
from tests.archive_site.metrics_page import Metrics, Scraper, ended_run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/metrics.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs/metrics/alerts.yml").read_text(encoding="utf-8")
DASHBOARD = json.loads((ROOT / "docs/metrics/dashboard.json").read_text(encoding="utf-8"))
# Given on PostgreSQL only, where there may be several nodes.
OF_NODES = "usage_archive_workers_heartbeat_age_seconds"
NAME = re.compile(r"usage_archive_\w+")
SELECTOR = re.compile(r"(usage_archive_\w+)\{([^}]*)\}")
COLUMNS = 24


@pytest.fixture
def full(alice: User, scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> Metrics:
    """An answer in which every metric has a value."""
    credential.store(alice.pk, "session=1|1800000000|hash")
    watermark.ensure_mark(alice.pk, clock.now())
    ended_run(alice)
    beat(clock.now())
    nodes.beat()
    monkeypatch.setattr(automatic, "newest_file", clock.now)
    scraper.text()
    return scraper.read()


def labels_of(found: Metrics, family: str) -> set[str]:
    return {label for sample in found.families[family].samples for label in sample.labels} - {"le"}


def rows(found: Metrics) -> list[str]:
    """A row for each metric, as the document has it."""
    lines = ["| metric | type | labels | meaning |", "|---|---|---|---|"]
    for name, family in found.families.items():
        shown = name.removeprefix("usage_archive_") + ("_total" if family.type == "counter" else "")
        labels = ", ".join(f"`{label}`" for sample in family.samples[:1] for label in sample.labels if label != "le")
        lines.append(f"| `{shown}` | {family.type} | {labels} | {family.documentation} |")
    return lines


@pytest.mark.django_db
def test_the_table_is_what_the_service_gives(full: Metrics) -> None:
    table = PAGE.split("<!-- metrics: begin -->\n")[1].split("\n<!-- metrics: end -->")[0].splitlines()
    if engine.IS_SQLITE:
        assert not full.families[OF_NODES].samples
        table = [line.replace("| `node` |", "|  |") if "workers_heartbeat" in line else line for line in table]
    assert table == rows(full)


def expressions() -> Iterator[str]:
    """Each query of the rules and of the dashboard."""
    for block in re.findall(r"(?m)^ {8}expr: (>-\n(?: {10}.*\n)+|.*\n)", RULES):
        yield " ".join(block.removeprefix(">-").split())
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))
    yield from (one["definition"] for one in DASHBOARD["templating"]["list"] if "definition" in one)


def test_there_is_a_query_for_each_rule_and_each_panel() -> None:
    panels = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
    assert len(list(expressions())) >= RULES.count("- alert:") + len(panels) + 2
    assert RULES.count("- alert:") == RULES.count("expr:") == RULES.count("summary:")


@pytest.mark.django_db
def test_each_query_asks_for_metrics_and_labels_that_exist(full: Metrics) -> None:
    known = full.names | {OF_NODES}
    labels = {sample.name: set(sample.labels) for family in full.families.values() for sample in family.samples}
    wrong = {name for query in expressions() for name in NAME.findall(query)} - known
    assert wrong == set()
    for query in expressions():
        for name, selector in SELECTOR.findall(query):
            asked = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector))
            # Prometheus adds the last two itself.
            assert asked <= labels[name] | {"instance", "job"}, query


@pytest.mark.django_db
def test_each_metric_is_on_the_dashboard(full: Metrics) -> None:
    shown = {name for query in expressions() for name in NAME.findall(query)}
    parts = re.compile(r"_(bucket|count|sum)$")
    assert {parts.sub("", name) for name in full.names} - {parts.sub("", name) for name in shown} == set()


@pytest.mark.parametrize("query", list(expressions()))
def test_the_brackets_of_a_query_close(query: str) -> None:
    text, opened = re.sub(r'"[^"]*"', "", query), []
    for sign in re.findall(r"[()\[\]{}]", text):
        if sign in "([{":
            opened.append(sign)
        else:
            assert opened, query
            assert opened.pop() + sign in ("()", "[]", "{}")
    assert not opened


def test_the_document_lists_the_alerts() -> None:
    assert re.findall(r"(?m)^\| `(UsageArchive\w+)` \|", PAGE) == re.findall(r"- alert: (\w+)", RULES)


def test_every_panel_has_a_place_of_its_own() -> None:
    panels: list[dict[str, Any]] = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= COLUMNS
        cells = {(place["x"] + column, place["y"] + line) for column in range(place["w"]) for line in range(place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells


def test_every_panel_asks_the_chosen_data_source() -> None:
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    assert DASHBOARD["templating"]["list"][0]["name"] == "datasource"
    for panel in DASHBOARD["panels"]:
        if panel["type"] != "row":
            assert [panel["datasource"], *(target["datasource"] for target in panel["targets"])] == [chosen] * (
                1 + len(panel["targets"])
            )
