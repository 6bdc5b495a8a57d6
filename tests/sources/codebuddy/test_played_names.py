"""The player of CodeBuddy plays every fault and quirk of its simulator."""

from itertools import chain

from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, QUIRK_SWITCHES
from tests.sources.codebuddy.player import PLAYER, SWITCHES, UNLISTED


def test_every_fault_is_in_a_list_of_the_player_or_has_a_reason() -> None:
    lists = (PLAYER.quirks, PLAYER.strange, PLAYER.dead, PLAYER.foreign, PLAYER.short, PLAYER.odd, PLAYER.busy)
    played = set(chain.from_iterable(lists))
    assert played & UNLISTED.keys() == set()
    assert set(FAULT_NAMES) - played == UNLISTED.keys()


def test_every_quirk_is_played() -> None:
    assert {attribute for attribute, _ in SWITCHES.values()} == QUIRK_SWITCHES.keys()
