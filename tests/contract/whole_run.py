"""After a whole run of the tests: fails it where the description has an answer or a field that no test got.

One process alone sees a part of the answers: the workers of a run pass on what they have seen.
"""

import re
from typing import Any

import pytest

from archive_site.lib.storage import engine
from tests.contract import seen

_OUTPUT = "seen_answers"
NEVER_SEEN = pytest.StashKey[list[str]]()
# Tests of several nodes ask running servers.
_OF_SEVERAL_NODES = re.compile(r" 409 elsewhere$| has (items\.)?node$| has nodes(\.|$)")
_of_workers: set[str] = set()


def take_from(node: Any) -> None:
    """Keep what a worker has seen, in the process that leads the run."""
    _of_workers.update(getattr(node, "workeroutput", {}).get(_OUTPUT, []))


def finish(session: pytest.Session) -> None:
    """Pass on what was seen, or judge it in the process that leads the run."""
    config: Any = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput[_OUTPUT] = seen.take()
    elif _is_whole(session):
        never = seen.never_seen(_of_workers | set(seen.take()))
        config.stash[NEVER_SEEN] = missing = [name for name in never if not _OF_SEVERAL_NODES.search(name)]
        if missing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _is_whole(session: pytest.Session) -> bool:
    """Whether all tests ran and passed. Some answers are those of one engine alone."""
    config = session.config
    chosen = config.option.keyword or config.option.markexpr or config.option.collectonly
    is_all = config.args == config.getini("testpaths") and not chosen
    return is_all and session.exitstatus == pytest.ExitCode.OK and engine.IS_SQLITE
