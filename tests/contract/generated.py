"""Requests that schemathesis makes of the description of the API, and its checks of the answers."""

import random
from collections.abc import Iterator
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks

from tests.contract.visitors import Role

# Statuses from 501 on are answers as others: 502 is that of an upstream that fails.
CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
# The names of the ways in of the document.
_SESSION, _TOKEN = "session", "token"
_BATCH = 20


class Operation:
    """One method of a path, with its requests: by its schemas, and in turn against them."""

    def __init__(self, operation: Any, dice: random.Random) -> None:
        self.name, self.path, self.method = operation.label, operation.path, operation.method.upper()
        self._ways = operation.definition.raw["security"]
        self._dice = dice
        self._strategies = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
        self._waiting: list[Case] = []

    @property
    def is_page(self) -> bool:
        """Whether it leads visitors to the sign-in, as pages do."""
        return not self.path.startswith("/api/")

    def is_open_to(self, role: Role) -> bool:
        if role is Role.NOBODY:
            return False
        if role.is_token:
            return any(role in way.get(_TOKEN, ()) for way in self._ways)
        return role is Role.ADMINISTRATOR or any(way.get(_SESSION) == [] for way in self._ways)

    def case(self) -> Case:
        """The next request."""
        while not self._waiting:
            strategy = self._dice.choice(self._strategies)
            try:
                self._waiting = _some(strategy, self._dice)
            except Unsatisfiable:
                # Without parameters and a body nothing can be against the schemas.
                self._strategies.remove(strategy)
        return self._waiting.pop()


def operations(document: dict[str, Any], dice: random.Random) -> Iterator[Operation]:
    """All operations of the document."""
    schema = schemathesis.openapi.from_dict(document)
    # Cookies and tokens are those of the visitors.
    schema.config.generation.update(with_security_parameters=False)
    for found in schema.get_all_operations():
        yield Operation(found.ok(), dice)


def deviations(case: Case, answer: Any) -> list[str]:
    """What of the answer is outside of the document."""
    try:
        case.validate_response(answer, checks=CHECKS)
    except FailureGroup as group:
        return [" ".join(str(failure).split())[:400] for failure in group.exceptions]
    return []


def _some(strategy: Any, dice: random.Random) -> list[Case]:
    made: list[Case] = []

    @seed(dice.getrandbits(64))
    @settings(
        max_examples=_BATCH,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(case: Case) -> None:
        made.append(case)

    keep()
    # The first ones are the simplest.
    dice.shuffle(made)
    return made
