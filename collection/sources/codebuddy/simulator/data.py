"""Repeatable usage data for the upstream simulator: the same seed always gives the same calls.

Every calendar day has its own seed, so a simulator that is started again tomorrow shows the same calls for past days
and new ones for its today.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from threading import RLock
from zoneinfo import ZoneInfo

from usage.amounts.units import CREDITS

WEEKDAY_LOAD = (1.15, 1.2, 1.2, 1.2, 1.15, 0.6, 0.5)
HOUR_LOAD = (3, 2, 1, 1, 1, 1, 2, 5, 12, 30, 40, 34, 16, 24, 38, 42, 40, 30, 18, 16, 22, 24, 16, 8)
CREDIT_DECIMALS = (0, 1, 2, 4, 6)

MODELS = {
    "glm-5.3-flash": 30,
    "glm-5.3": 18,
    "deepseek-v4": 16,
    "hunyuan-3-code": 12,
    "kimi-k3": 9,
    "qwen4-coder": 7,
    "minimax-m4": 5,
    "auto": 3,
}
CLIENTS = {"WorkBuddy": 40, "CodeBuddy IDE": 28, "CodeBuddy CLI": 18, "VS Code": 10, "": 4}
PURPOSES = {
    "conversation": 60,
    "": 14,
    "subagent:explore": 9,
    "conversation:compact": 6,
    "subagent:code-review": 6,
    "custom_agent:release-notes": 5,
}
ENGLISH = (
    "Why does this test fail only when the whole suite runs?",
    "Rename the field everywhere and keep the migration reversible.",
    "The page is slow with 50,000 rows; find out which query is to blame.",
    "Please write a regular expression that accepts 24-hour times.",
    "Explain this stack trace to me in two sentences.",
    "Add a retry with growing waits, but never more than five.",
    "def total(rows): return sum(row.credits for row in rows)",
    "Make the error message say what the user should do next.",
    "Compare these two approaches and recommend one.",
    "Do not change the public interface.",
)
CHINESE = (
    "帮我看一下这段代码为什么会死锁。",
    "把这个函数拆成三个更小的函数，并补上单元测试。",
    "页面在手机上显示错位，请修复样式。",
    "请用中文解释一下这个报错信息。",
    "导出的表格里日期格式不对，应该是年-月-日。",
    "给登录接口加上限流，失败十次后锁定十五分钟。",
    "这条查询太慢了，需要加什么索引？",
    "总结一下今天的改动，写成提交说明。",
    "不要修改公共接口，只优化内部实现。",
    "数据库迁移失败后怎么回滚？",
)
# The number of sentences of a prompt, with weights: none, short, a paragraph, a page, a pasted file of several KB.
PROMPT_LENGTHS = {(0, 0): 4, (1, 2): 44, (3, 8): 38, (10, 30): 11, (90, 200): 3}


@dataclass(frozen=True, slots=True)
class SimulatedCall:
    """One billed call with its true values; `time` is naive wall clock of the upstream's zone, in whole seconds."""

    request_id: str
    credits: Decimal
    time: datetime
    model: str = "glm-5.3"
    client: str = "WorkBuddy"
    prompt: str = ""
    agent_purpose: str = "conversation"

    @property
    def amount(self) -> int:
        """Credits in whole millionths."""
        return CREDITS.parts(self.credits)


class CallLog:
    """The calls of one account, kept oldest first. `lock` guards everything; hold it for more than one step."""

    def __init__(self, calls: Iterable[SimulatedCall]) -> None:
        self.lock = RLock()
        self.served: set[str] = set()
        self._calls = sorted(calls, key=lambda call: call.time)
        self._times = [call.time for call in self._calls]

    def add(self, call: SimulatedCall) -> None:
        """Inserts one call in order of time, after those of the same moment."""
        with self.lock:
            place = bisect_right(self._times, call.time)
            self._times.insert(place, call.time)
            self._calls.insert(place, call)

    def remove(self, request_id: str) -> None:
        """Removes the call with this id; raises ValueError if there is none."""
        with self.lock:
            place = [call.request_id for call in self._calls].index(request_id)
            del self._times[place], self._calls[place]

    def between(self, start: datetime, end: datetime) -> list[SimulatedCall]:
        """The calls from `start` to `end`, both inclusive, oldest first; none if `start` is after `end`."""
        with self.lock:
            return self._calls[bisect_left(self._times, start) : bisect_right(self._times, end)]


def repeatable(*parts: object) -> random.Random:
    """A generator whose numbers depend on `parts` alone (text seeds do not use Python's salted hash)."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - repeatable is the point here


def generate_calls(seed: str, days: int, per_day: int, until: datetime, zone: ZoneInfo) -> Iterator[SimulatedCall]:
    """Yields about `per_day` calls per day for the `days` days that end at the aware `until`, not sorted."""
    last = until.astimezone(zone)
    end = last.replace(tzinfo=None)
    start = end - timedelta(days=days)
    for back in range(days, -1, -1):
        for call in _calls_of_day(seed, last.date() - timedelta(days=back), per_day, zone):
            if start < call.time <= end:
                yield call


def invent_call(dice: random.Random, moment: datetime) -> SimulatedCall:
    """One plausible call at the naive wall-clock `moment`."""
    return SimulatedCall(
        request_id=_request_id(dice),
        credits=_credits(dice),
        time=moment,
        model=_pick(dice, MODELS),
        client=_pick(dice, CLIENTS),
        prompt=_prompt(dice),
        agent_purpose=_pick(dice, PURPOSES),
    )


@lru_cache(maxsize=256)
def _calls_of_day(seed: str, day: date, per_day: int, zone: ZoneInfo) -> tuple[SimulatedCall, ...]:
    return tuple(_invent_day(seed, day, per_day, zone))


def _invent_day(seed: str, day: date, per_day: int, zone: ZoneInfo) -> Iterator[SimulatedCall]:
    dice = repeatable(seed, day.isoformat())
    # Counted from midnight as an instant, so that no call falls into an hour that the clock skips.
    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    count = round(per_day * WEEKDAY_LOAD[day.weekday()] * dice.uniform(0.8, 1.2))
    for hour in dice.choices(range(24), HOUR_LOAD, k=count):
        whole_minute = dice.random() < 0.85
        seconds = hour * 3600 + dice.randrange(60) * 60 + (0 if whole_minute else dice.randrange(60))
        moment = (midnight + timedelta(seconds=seconds)).astimezone(zone)
        yield invent_call(dice, moment.replace(tzinfo=None))


def _pick(dice: random.Random, weighted: dict[str, int]) -> str:
    return dice.choices(list(weighted), list(weighted.values()))[0]


def _request_id(dice: random.Random) -> str:
    hexadecimal = f"{dice.getrandbits(128):032x}"
    return f"crb-{hexadecimal}" if dice.random() < 0.06 else hexadecimal


def _credits(dice: random.Random) -> Decimal:
    if dice.random() < 0.12:
        return Decimal(0)
    return Decimal(f"{dice.lognormvariate(0.6, 1.1):.{dice.choice(CREDIT_DECIMALS)}f}")


def _prompt(dice: random.Random) -> str:
    shortest, longest = dice.choices(list(PROMPT_LENGTHS), list(PROMPT_LENGTHS.values()))[0]
    sentences = dice.choices(dice.choice((ENGLISH, CHINESE)), k=dice.randint(shortest, longest))
    return ("\n" if dice.random() < 0.3 else " ").join(sentences)
