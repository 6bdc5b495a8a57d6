"""A store on PostgreSQL that has calls is upgraded in place: docs/running.md#upgrading."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import User
from tests.accounts.second_factor.factors_of import is_in, sign_in, with_codes
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only, pytest.mark.usefixtures("no_captcha")]
# Before second factors, private prompts and retention.
BEFORE = [("accounts", "0015_bills_of_other_archives"), ("usage", "0029_renewals_and_refunds")]


def test_calls_and_prompts_of_a_store_before_stay_and_new_tables_work(alice: User) -> None:
    archive(alice, call("r1", prompt="the secluded word"), call("r2", prompt="another one"))
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        MigrationExecutor(connection).migrate(BEFORE)
        tables = connection.introspection.table_names()
    finally:
        MigrationExecutor(connection).migrate(newest)
    assert not {"usage_privacy", "usage_retention", "accounts_secondfactor"} & set(tables)
    visitor = ApiClient()
    assert sign_in(visitor, "alice").status_code == 302
    assert is_in(visitor)
    assert [one["request_id"] for one in visitor.get("/api/records", q="secluded").json()["items"]] == ["r1"]
    assert visitor.get("/api/privacy").json()["mode"] == "whole"
    assert with_codes(alice)
