"""The process that checks one address, or sends one notice or event: `python -m accounts.delivery.sending.child`.

It reads a JSON object from standard input and writes one to standard output. It loads no Django, and ends itself when
its time is over. Whatever else the libraries write is dropped, since it may hold an address.
"""

import json
import os
import resource
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

MEMORY = 512 * 1024 * 1024
CPU_SECONDS = 10
# For all connections and answers together, once the library is loaded.
SECONDS = 10.0
CHECK_SECONDS = 5.0


class Answer:
    """The one line that this process writes, by its thread or by its clock."""

    def __init__(self) -> None:
        self._to = os.dup(1)
        self._turn = threading.Lock()
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)

    def give(self, answer: dict[str, Any]) -> NoReturn:
        """Write the answer and end the process."""
        with self._turn:
            os.write(self._to, json.dumps(answer).encode() + b"\n")
            os._exit(0)

    def give_after(self, seconds: float, answer: dict[str, Any]) -> None:
        """Give this answer where no other comes in time. A thread sees to it, as looking up a name cannot be broken
        off."""
        clock = threading.Timer(seconds, self.give, [answer])
        clock.daemon = True
        clock.start()


def main() -> None:
    """Answer the question on standard input."""
    limit()
    question = json.loads(sys.stdin.buffer.read())
    answer = Answer()
    for kind, give in (("check", check), ("check_url", check_url), ("url", post), ("address", send)):
        if kind in question:
            give(question, answer)


def limit() -> None:
    """Bound memory and processor, and write no files."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        highest = resource.getrlimit(kind)[1]
        bound = most if highest == resource.RLIM_INFINITY else min(most, highest)
        # macOS refuses a limit of memory.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (bound, bound))


def check(question: dict[str, Any], answer: Answer) -> None:
    """Whether an address can be used. A name that nobody resolves now may be: the guard asks again when it sends."""
    # Loaded under the limits.
    from accounts.delivery.sending import services
    from accounts.delivery.sending.schemes import UnusableError

    seen = _guarded(question, connects=False)
    try:
        service = services.service_of(question["check"], CHECK_SECONDS, question.get("mailbox"))
    except UnusableError as error:
        answer.give({"usable": False, "reason": error.reason})
    answer.give_after(CHECK_SECONDS, {"usable": True})
    # It goes as far as the first connection, so what is checked is the host that would be asked.
    answer.give(_usable(services.notify(service, "-", "-", "-", seen)))


def check_url(question: dict[str, Any], answer: Answer) -> None:
    """Whether the address of a webhook can be used, in the same way."""
    from accounts.delivery.sending import posts

    seen = _guarded(question, connects=False)
    answer.give_after(CHECK_SECONDS, {"usable": True})
    answer.give(_usable(posts.post(question["check_url"], {}, "", CHECK_SECONDS, seen)))


def send(question: dict[str, Any], answer: Answer) -> None:
    """Send a notice, and say how it went."""
    from accounts.delivery.sending import exchanges, services
    from accounts.delivery.sending.schemes import UnusableError

    seen = _guarded(question, connects=True)
    answer.give_after(SECONDS, _failed(exchanges.TIMEOUT))
    try:
        service = services.service_of(question["address"], SECONDS, question.get("mailbox"))
    except UnusableError:
        answer.give(_failed(exchanges.ADDRESS))
    failure = services.notify(service, question["title"], question["body"], question["id"], seen)
    if failure is None:
        answer.give({"sent": True})
    words = services.said(service, question["address"], seen)
    answer.give({**_failed(failure), **({"said": words} if words else {})})


def post(question: dict[str, Any], answer: Answer) -> None:
    """Send an event to a webhook, and say how it went, with the status of the answer."""
    from accounts.delivery.sending import exchanges, posts

    seen = _guarded(question, connects=True)
    answer.give_after(SECONDS, _failed(exchanges.TIMEOUT))
    failure = posts.post(question["url"], question["headers"], question["body"], SECONDS, seen)
    answer.give({**(_failed(failure) if failure else {"sent": True}), "status": seen.status})


def _guarded(question: dict[str, Any], *, connects: bool) -> Any:
    """Guard this process for good, and record what it exchanges."""
    from accounts.delivery.sending import exchanges, guard

    seen = exchanges.Exchanges()
    exchanges.observe(seen)
    guard.install(seen, private_allowed=question["private_allowed"], connects=connects)
    return seen


def _usable(failure: Any) -> dict[str, Any]:
    """What a check says where a request failed so, since it opened no connection."""
    from accounts.delivery.sending import exchanges

    reason = {exchanges.PRIVATE: "private", exchanges.ADDRESS: "form"}.get(failure or exchanges.ADDRESS)
    return {"usable": False, "reason": reason} if reason else {"usable": True}


def _failed(failure: Any) -> dict[str, Any]:
    return {"sent": False, "reason": failure.reason, "again": failure.again}


if __name__ == "__main__":
    main()
