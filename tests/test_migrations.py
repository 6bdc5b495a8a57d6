"""The migrations match the models."""

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_no_model_differs_from_its_migrations() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
