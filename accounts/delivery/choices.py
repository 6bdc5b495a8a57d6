"""Which notices an account wants, and when: events that are switched off, and quiet hours.

They are one setting in JSON, which the settings API neither shows nor writes.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime

from accounts import setting_rows
from archive_site.lib import clock

_KEY = "notice_choices"


@dataclass(frozen=True)
class Choices:
    """`off`: the events that are switched off; the quiet hours as `HH:MM`, both empty where there are none.

    `summaries`: the periods (`week`, `month`) whose summary is sent; `with_prompts`: with the beginnings of prompts.
    `language`: that of the page on which the choice was made, for an account that follows its browser's.
    """

    off: frozenset[str] = frozenset()
    quiet_from: str = ""
    quiet_to: str = ""
    language: str = "en"
    summaries: frozenset[str] = frozenset()
    with_prompts: bool = False

    def is_quiet(self, now: datetime) -> bool:
        """Whether an instant lies in the quiet hours, which may go past midnight; equal times are no hours."""
        text = (clock.local_text(now) or "")[len("2026-09-07 ") :][: len("23:42")]
        if self.quiet_from <= self.quiet_to:
            return self.quiet_from <= text < self.quiet_to
        return text >= self.quiet_from or text < self.quiet_to


def of_account(user_id: int) -> Choices:
    stored = setting_rows.value_of(user_id, _KEY)
    if stored is None:
        return Choices()
    kept = json.loads(stored)
    return Choices(
        off=frozenset(kept["off"]),
        quiet_from=kept["quiet_from"],
        quiet_to=kept["quiet_to"],
        language=kept["language"],
        # Notices are older than summaries.
        summaries=frozenset(kept.get("summaries", ())),
        with_prompts=kept.get("with_prompts", False),
    )


def store(user_id: int, choices: Choices) -> None:
    kept = {name: sorted(value) if isinstance(value, frozenset) else value for name, value in asdict(choices).items()}
    setting_rows.store(user_id, _KEY, json.dumps(kept))
