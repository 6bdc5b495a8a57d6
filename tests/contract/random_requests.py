"""Random requests to a running instance by its own description: docs/decisions/tests.md#requests-of-the-description.

`python -m tests.contract.random_requests [--requests N] [--seed N]` prints counts; exit code 1 if anything was wrong.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
from schemathesis import Case

from tests import process_stores
from tests.contract.existing import use_existing, use_fitting
from tests.contract.generated import Operation, deviations, operations
from tests.contract.tally import Tally
from tests.contract.visitors import SECONDS, Crowd, Role, Visitor
from tests.fuzz.attack import faults_in_log, foreign_words
from tests.fuzz.target import Target, stop

REQUESTS = 20_000
RESTORE, SETTINGS = "/api/backups/{name}/restore", "/api/settings"
# The share of the requests whose path names something that is there, and the share of these where it is another's.
_EXISTING, _OF_OTHERS = 0.75, 0.3
_FITTING = 0.7
# Limits are counted over many requests: a fast run would else rarely be allowed what may be done twice in a minute.
_COUNTED = 100


class RandomRequests:
    """Sends the requests one after the other, and checks each answer."""

    def __init__(self, target: Target, seed: int) -> None:
        self._target, self._dice, self.tally = target, random.Random(seed), Tally()
        self._crowd = Crowd(target, self._dice)
        document = self._crowd.somebody(Role.USER).get("/api/openapi.json").json()
        self._operations = list(operations(document, self._dice))
        known = self._crowd.somebody(Role.ADMINISTRATOR).get(SETTINGS).json()
        self._settings = {key: known[key] for key in known["_globalKeys"]}

    def send(self, number: int) -> None:
        """Each operation as each role in turn, in a random order. Ctrl-C ends it."""
        with suppress(KeyboardInterrupt):
            for done, (operation, role) in zip(range(number), self._turns(), strict=False):
                if done % _COUNTED == 0:
                    process_stores.forget_counts(self._target.home)
                self._ask(operation, role)

    def _turns(self) -> Iterator[tuple[Operation, Role]]:
        while True:
            pairs = [(operation, role) for operation in self._operations for role in Role]
            self._dice.shuffle(pairs)
            yield from pairs

    def _ask(self, operation: Operation, role: Role) -> None:
        visitor, case = self._crowd.somebody(role), operation.case()
        try:
            self._improve(case, visitor)
            answer = case.call(
                self._target.url,
                session=visitor.session,
                headers=dict(visitor.headers),
                allow_redirects=False,
                timeout=SECONDS,
            )
        except requests.RequestException as error:
            self.tally.note(role, operation, 0)
            self._wrong(operation, role, case, f"no answer: {error!r}")
            return
        self.tally.note(role, operation, answer.status_code)
        for words in self._faults(operation, visitor, case, answer):
            self._wrong(operation, role, case, words)
        self._undo(operation, role, answer.status_code)

    def _undo(self, operation: Operation, role: Role, status: int) -> None:
        """Undo what would spoil the rest of the run."""
        if operation.path == RESTORE and status == 200:
            self._crowd.replace_all()
        if operation.name == f"POST {SETTINGS}" and role is Role.ADMINISTRATOR:
            # With another address of the upstream each collection waits for it in vain. Some are stored beside others
            # that are refused.
            self._crowd.somebody(Role.ADMINISTRATOR).post(SETTINGS, self._settings)

    def _improve(self, case: Case, visitor: Visitor) -> None:
        """Let a share of the requests name what is there, and hold what is accepted."""
        if self._dice.random() < _EXISTING:
            of_others = self._dice.random() < _OF_OTHERS or visitor.person is None
            owner = self._crowd.somebody(self._dice.choice((Role.USER, Role.ADMINISTRATOR))) if of_others else visitor
            use_existing(case, owner, self._dice)
        if self._dice.random() < _FITTING:
            use_fitting(case, visitor)

    def _faults(self, operation: Operation, visitor: Visitor, case: Case, answer: Any) -> Iterator[str]:
        status = answer.status_code
        yield from deviations(case, answer)
        if status == 500:
            yield f"an unexpected failure: {answer.text[:200]}"
        if foreign_words(str(answer.headers).encode() + answer.content, visitor.word):
            yield "data of another account"
        if any(secret.encode() in answer.content for secret in self._target.secrets):
            yield "a secret"
        yield from self._faults_of_role(operation, visitor, status, answer)

    def _faults_of_role(self, operation: Operation, visitor: Visitor, status: int, answer: Any) -> Iterator[str]:
        role = visitor.role
        # On a page that no token opens, a token is an anonymous visitor.
        leads_away = operation.is_page and (role is Role.NOBODY or role.is_token)
        if role is Role.NOBODY:
            if status != (302 if leads_away else 401):
                yield f"nobody is answered with {status}"
        elif _has_ended(operation, visitor, status, answer):
            self._crowd.replace(visitor)
        elif not operation.is_open_to(role) and status != 403 and not (leads_away and status == 302):
            # A random request may have made an administrator of an account.
            if role is Role.USER and visitor.get("/api/settings").json()["_role"] == "admin":
                self._crowd.replace(visitor)
            else:
                yield f"{role} is answered with {status}"
        elif role is Role.ADMINISTRATOR and status == 403:
            self._crowd.replace(visitor)

    def _wrong(self, operation: Operation, role: Role, case: Case, words: str) -> None:
        words = f"{operation.name}: {words}"
        self.tally.wrong[words] += 1
        self.tally.examples.setdefault(words, f"as {role}: {case!r}")


def _has_ended(operation: Operation, visitor: Visitor, status: int, answer: Any) -> bool:
    """Whether the session or the token of a visitor has ended, or the account."""
    if visitor.role.is_token and operation.method == "POST" and status == 400:
        # With a wrong token, a POST lacks the token of a page.
        return visitor.get("/api/status").status_code == 401
    is_sent_away = operation.is_page and status == 302 and not visitor.role.is_token
    return is_sent_away or _error_of(answer) == "unauthorized"


def _error_of(answer: Any) -> str:
    """The error code of an answer; empty where it has none."""
    if answer.status_code < 400 or "json" not in str(answer.headers.get("content-type")):
        return ""
    return str(answer.json().get("error", ""))


def run(home: Path, number: int, seed: int, *options: str) -> Tally:
    """Start an instance, send the requests, and look at the process and its log afterwards."""
    with Target(home, users=0) as target:
        # The address of the notices is one of this machine that nobody listens at.
        target.variables["ARCHIVE_NOTIFY_PRIVATE"] = "true"
        process = target.up(*options)
        asking = RandomRequests(target, seed)
        asking.send(number)
        tally = asking.tally
        tally.judge()
        if tally.requests != number:
            tally.wrong[f"{tally.requests:,} of {number:,} requests were made"] += 1
        tally.wrong.update(faults_in_log(target))
        if process.poll() is not None or stop(process) != 0:
            tally.wrong["the instance did not run to the end, or stopped with another exit code than 0"] += 1
    return tally


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.contract.random_requests")
    options.add_argument("--requests", type=int, default=REQUESTS)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="usage-archive-contract-") as folder:
        tally = run(Path(folder) / "home", chosen.requests, chosen.seed)
    minutes = (time.monotonic() - began) / 60
    sys.stdout.write("\n".join([f"seed {chosen.seed}, {minutes:.1f} minutes", *tally.lines()]) + "\n")
    sys.exit(1 if tally.wrong else 0)


if __name__ == "__main__":
    main()
