"""What tests of `/metrics` use: a visitor with its token, and its answers as read by the library's own parser."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import OK, RunOutcome
from tests.factories import ApiClient

TOKEN = "metrics-7f3a-token-0001"


@dataclass(frozen=True)
class Metrics:
    """An answer of the page."""

    families: Mapping[str, Metric]

    @classmethod
    def of(cls, text: str) -> "Metrics":
        return cls({family.name: family for family in text_string_to_metric_families(text)})

    @property
    def names(self) -> set[str]:
        return {sample.name for family in self.families.values() for sample in family.samples}

    def value(self, name: str, **labels: str) -> float | None:
        """The number of a metric with exactly these labels; None if there is none."""
        return self.by_labels(name).get(tuple(sorted(labels.items())))

    def by_labels(self, name: str) -> dict[tuple[tuple[str, str], ...], float]:
        full = f"usage_archive_{name}"
        return {
            tuple(sorted(sample.labels.items())): sample.value
            for family in self.families.values()
            for sample in family.samples
            if sample.name == full
        }


class Scraper:
    """Asks for the page as Prometheus does."""

    def __init__(self, token: str = TOKEN) -> None:
        self.client = ApiClient().client
        self.ask = partial(self.client.get, "/metrics", headers={"Authorization": f"Bearer {token}"})

    def text(self) -> str:
        response: Any = self.ask()
        assert response.status_code == 200, response.content
        return str(response.content, "utf-8")

    def read(self) -> Metrics:
        return Metrics.of(self.text())


def ended_run(user: User, outcome: RunOutcome = OK, kind: Run.Kind = Run.Kind.COLLECTION) -> Run:
    """A run that began and ended now."""
    run = runs.begin(user.pk, Run.Trigger.SCHEDULE, clock.now(), clock.now(), kind=kind)
    return runs.finish(run, outcome, Message("stopped"), runs.Journal(run.pk), actor="scheduler")
