"""Repeatable prompts of mixed length: English, code, Chinese, some empty; and words planted in them to search for."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

POOL = 20_000
# Texts that are split where they are used.
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo wu xe za chi tre plo sta gen tion ment ing able"
SAID = (
    "the a to of in this that when why does test function file line error page value return please make query fails "
    "with and for from into user table index slow after before every only should class method rename explain change"
)
HANZI = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多"
    "定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由"
    "其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问"
)
# How many sentences a prompt has, and how often.
LENGTHS = {(1, 2): 45, (3, 8): 40, (10, 20): 12, (60, 100): 1.5}
KINDS = {"empty": 4, "english": 50, "chinese": 26, "code": 20}


@dataclass(frozen=True)
class Planted:
    """A text in one prompt of `every`, where allowed; no other text contains its letters."""

    text: str
    every: int
    oldest_month_only: bool = False
    others_only: bool = False


PLANTED = {
    "rare word": Planted("obsidian", 50_000),
    "middling word": Planted("kaleidoscope", 500),
    "common word": Planted("Refactor", 5),
    "word of the oldest month": Planted("heliotrope", 4, oldest_month_only=True),
    "word of other accounts": Planted("marzipan", 5, others_only=True),
    "rare Chinese pair": Planted("魍魉", 50_000),
    "common Chinese pair": Planted("函数", 5),
    "rare Chinese character": Planted("龘", 20_000),
    "Chinese pair of the oldest month": Planted("饕餮", 4, oldest_month_only=True),
}
_PLANTED_HANZI = frozenset("".join(planted.text for planted in PLANTED.values() if not planted.text.isascii()))


def prompt(dice: random.Random, *, oldest_month: bool, others: bool) -> str:
    """One prompt, of about 450 bytes in the mean."""
    kind = dice.choices(list(KINDS), list(KINDS.values()))[0]
    if kind == "empty":
        return ""
    shortest, longest = dice.choices(list(LENGTHS), list(LENGTHS.values()))[0]
    sentences = dice.choices(_sentences(kind), k=dice.randint(shortest, longest))
    for planted in PLANTED.values():
        if dice.random() * planted.every < 1 and _may_be(planted, oldest_month, others):
            sentences.insert(dice.randint(0, len(sentences)), planted.text)
    return ("\n" if kind == "code" else " ").join(sentences)


def _may_be(planted: Planted, oldest_month: bool, others: bool) -> bool:
    return (oldest_month or not planted.oldest_month_only) and (others or not planted.others_only)


@cache
def _sentences(kind: str) -> list[str]:
    """The sentences of all prompts of a kind, the same in every process."""
    dice = random.Random(f"sentences/{kind}")
    writer: Callable[[random.Random], str] = {"english": _english, "chinese": _chinese, "code": _code}[kind]
    return [writer(dice) for _ in range(POOL)]


def _english(dice: random.Random) -> str:
    words = dice.choices(*_words(), k=dice.randint(6, 18))
    return " ".join(words).capitalize() + dice.choice(".?!")


def _chinese(dice: random.Random) -> str:
    return "".join(dice.choices(*_chinese_words(), k=dice.randint(5, 16))) + dice.choice("。？，")


def _code(dice: random.Random) -> str:
    name, called, argument = dice.choices(*_words(), k=3)
    number = dice.randrange(10_000)
    return dice.choice(
        (
            f"def {name}_{called}({argument}):",
            f"    return {called}({argument}, {number}) or [{name}]",
            f'    if {argument} != {number}: raise ValueError("{called} 100% {name}")',
            f"SELECT {name}, {called} FROM {argument} WHERE id = {number};",
            f"    {name} = {{'{called}': {number}}}  # {argument}",
        )
    )


@cache
def _words() -> tuple[list[str], list[float]]:
    """Words with their frequencies: 1/n for the n-th, as in natural languages."""
    dice = random.Random("words")
    made = ["".join(dice.choices(SYLLABLES.split(), k=dice.randint(2, 4))) for _ in range(4000)]
    words = list(dict.fromkeys([*SAID.split(), *made]))
    return words, [1 / (place + 5) for place in range(len(words))]


@cache
def _chinese_words() -> tuple[list[str], list[float]]:
    """Words of one common character, and of two."""
    dice = random.Random("hanzi")
    seldom = dice.sample([chr(code) for code in range(0x4E00, 0x9FA6)], 2000)
    signs = [sign for sign in dict.fromkeys([*HANZI, *seldom]) if sign not in _PLANTED_HANZI]
    weights = [1 / (place + 20) for place in range(len(signs))]
    pairs = ["".join(dice.choices(signs, weights, k=2)) for _ in range(5000)]
    words = [word for two in zip(HANZI, pairs, strict=False) for word in two] + pairs[len(HANZI) :]
    known = [word for word in dict.fromkeys(words) if not _PLANTED_HANZI & set(word)]
    return known, [1 / (place + 10) for place in range(len(known))]
