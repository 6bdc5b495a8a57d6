"""`make api-reference`: the tables of docs/api.md, from the descriptions of the views."""

import os
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "api.md"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    from tests.contract.reference import with_reference

    DOCUMENT.write_text(with_reference(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
