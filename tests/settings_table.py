"""`make settings-table`: the table of settings in docs/settings.md, from their declarations."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import translation

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"


def table(keys: Mapping[str, Any]) -> str:
    """A row for each key, in the order of the settings page."""
    rows = ["| key | on the page | default | accepted | what it does |", "|---|---|---|---|---|"]
    for name, key in keys.items():
        group = key.group.title if key.group else "Each account"
        default = f"`{key.default}`" if key.default else ""
        rows.append(f"| `{name}` | {group}: {key.label} | {default} | {key.accepted} | {key.about} |")
    return "\n".join(rows)


def with_table(document: str, keys: Mapping[str, Any]) -> str:
    """The document with the table between its two marks, in English."""
    before, _, rest = document.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"The document does not have both marks, {BEGIN} and {END}.")
    with translation.override("en"):
        return f"{before}{BEGIN}\n{table(keys)}\n{END}{after}"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from accounts.config import KEYS

    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), KEYS), encoding="utf-8")


if __name__ == "__main__":
    main()
