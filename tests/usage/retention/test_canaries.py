"""No byte of an erased call is left in any file of the service (docs/security/threats.md#erased-calls)."""

from pathlib import Path

import pytest

from tests import process_stores
from tests.collection.running_instance import Instance
from tests.usage.prompt_privacy.test_canaries import CANARIES, database_holding, holding, run

pytestmark = [pytest.mark.engine, pytest.mark.landing]
# Prompts, and what begins each request id.
TEXTS = (*CANARIES, "idofacanary")
FILL = """
import django
django.setup()
from datetime import timedelta
from accounts.models import User
from archive_site.lib import clock
from tests.usage.record_factories import archive, call
from usage.export.kept_files import write_export
alice, today = User.objects.get(username="alice"), clock.today()
for start in range(0, {number}, 500):
    archive(alice, *(
        call(f"idofacanary{{n}}", ts=f"{{today - timedelta(days=10 + n % 90)}} 10:00:00",
             prompt=f"Zwitschervogel{{n}}xq singt 金丝雀鸣叫 heute canaryword{{n}}")
        for n in range(start, min(start + 500, {number}))
    ))
    kept = [call(f"kept{{n}}", ts=f"{{today}} 10:00:00", prompt="kept words") for n in range(start, start + 50)]
    archive(alice, *kept)
write_export(alice, alice.pk, purpose=False, language="en")
"""
ERASE = """
import django
django.setup()
from accounts.models import User
from collection import maintenance_actions
from usage.retention import choices
from usage.retention import erasing
from usage.models import Record
from usage.search import engine_index
alice = User.objects.get(username="alice")
choices.choose(alice.pk, choices.Choice(calls_days=9))
assert erasing.go_on(600)
engine_index.tidy_for(600)
maintenance_actions.vacuum(alice, alice.pk, {})
print(Record.objects.count())
"""


@pytest.mark.parametrize("number", [1_000, pytest.param(100_000, marks=[pytest.mark.thorough, pytest.mark.later])])
def test_no_byte_of_an_erased_call_is_left(made_once: Path, tmp_path: Path, number: int) -> None:
    with Instance.copied(made_once, tmp_path / "home") as instance:
        is_postgres = "DATABASE_URL" in process_stores.environment(instance.home)
        run(instance, FILL.format(number=number))
        assert any(path.startswith("exports/") for path in holding(instance.home, TEXTS))
        assert not is_postgres or database_holding(instance.home, TEXTS)
        assert int(run(instance, ERASE)) == number // 500 * 50
        assert instance.run("backup", "create").returncode == 0
        assert holding(instance.home, TEXTS) == []
        assert not is_postgres or database_holding(instance.home, TEXTS) == []
        assert holding(instance.home, ["kept words"]) or is_postgres
