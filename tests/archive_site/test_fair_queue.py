"""Those who wait for a thread take turns (docs/decisions/web.md#turns-of-an-account)."""

from types import SimpleNamespace

from archive_site.serving.fair_queue import FairQueue


def test_one_of_each_lane_in_turn() -> None:
    queue = FairQueue()
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        queue.append(SimpleNamespace(name=name, requests=[SimpleNamespace(lane=name[0])]))
    # A task without a request.
    queue.append(SimpleNamespace(name="question"))
    assert len(queue) == 7
    assert [queue.popleft().name for _ in range(7)] == ["a1", "b1", "c1", "question", "a2", "b2", "a3"]
    assert not queue
