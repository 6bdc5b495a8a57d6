"""The nodes of an instance, by the heartbeats of their workers (docs/decisions/nodes.md#nodes)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from archive_site.lib import clock
from archive_site.lib.storage import engine
from collection.models import Heartbeat

BEATS_EVERY = timedelta(seconds=20)
GONE_AFTER = timedelta(minutes=3)
_FORGOTTEN_AFTER = timedelta(days=1)
_PREFIX = "workers of "


@dataclass(frozen=True)
class Node:
    """A node whose workers gave a sign of life in the last day."""

    name: str
    beat_at: datetime

    @property
    def age(self) -> timedelta:
        return clock.now() - self.beat_at

    @property
    def seconds(self) -> int:
        return max(0, round(self.age.total_seconds()))

    @property
    def is_gone(self) -> bool:
        """Whether it is silent; a heartbeat in the future comes from a wrong clock and does not count."""
        return abs(self.age) >= GONE_AFTER


def beat() -> None:
    """Note that the workers of this node are alive."""
    Heartbeat.objects.update_or_create(name=_PREFIX + settings.NODE, defaults={"at": clock.now()})


def leave() -> None:
    """Remove this node from those that are known: its workers end, or start again."""
    Heartbeat.objects.filter(name=_PREFIX + settings.NODE).delete()


def known() -> list[Node]:
    """The nodes with workers, by name; none where there can be only one."""
    if not engine.MAY_HAVE_SEVERAL_NODES:
        return []
    beats = Heartbeat.objects.filter(name__startswith=_PREFIX).order_by("name")
    return [Node(one.name.removeprefix(_PREFIX), one.at) for one in beats]


def works_here() -> bool:
    """Whether the workers of this node gave a sign of life lately; true where nodes cannot be distinguished."""
    return not engine.MAY_HAVE_SEVERAL_NODES or any(node.name == settings.NODE and not node.is_gone for node in known())


def others_work() -> bool:
    """Whether other nodes have workers that live."""
    return any(node.name != settings.NODE and not node.is_gone for node in known())


def forget_gone() -> None:
    """Delete the heartbeats of nodes that were not seen for a day, and those of a clock that ran a day ahead."""
    now = clock.now()
    is_near = Q(at__range=(now - _FORGOTTEN_AFTER, now + _FORGOTTEN_AFTER))
    Heartbeat.objects.filter(~is_near, name__startswith=_PREFIX).delete()
