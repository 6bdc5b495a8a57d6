"""Starts the child that checks or sends, and ends it when its time is over."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

# Longer than the child gives itself, with the time that it takes to start.
SECONDS = 15
_ROOT = Path(__file__).resolve().parents[3]
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ")


class LateError(Exception):
    """The child did not answer in time and was killed."""


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """The answer of a child of its own; an empty one where it died. Raises LateError.

    The question goes through a pipe: other accounts of the machine can read command lines.
    """
    child = subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, "-P", "-B", "-m", "accounts.delivery.sending.child"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        cwd="/", env=_environment(), start_new_session=True,
    )  # fmt: skip
    try:
        written, _ = child.communicate(_written(question), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise LateError from None
    finally:
        _end(child)
    with suppress(ValueError):
        answer = json.loads(written)
        if child.returncode == 0 and isinstance(answer, dict):
            return answer
    return {}


def _written(question: dict[str, Any]) -> bytes:
    """The question as JSON. Half a character, as old stores may hold, becomes a question mark."""
    return json.dumps(question, ensure_ascii=False).encode(errors="replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child's group."""
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with suppress(OSError):
                pipe.close()


def _environment() -> dict[str, str]:
    """Where modules are, language and zone. The rest, such as proxies and secrets, stays here."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(_ROOT), *(path for path in sys.path if os.path.isabs(path))])}
