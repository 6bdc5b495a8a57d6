"""Packages of credits that an account was given or has bought (docs/decisions/collection.md#packages)."""

from django.db import models


class Package(models.Model):
    """A package as the source last showed it, at `read_at`; of a plan, one cycle, which `cycle` tells from others.

    `size`, `left` and `used` are parts of the archive's unit; `used` is null where the source does not say it.
    `state` is the source's own; `usage.packages.package.state_of` says what it is now. `changed_at` is when the source
    was last seen to have changed the package itself, and `changed_by` by how many parts it did so in all. `entered` are
    those that it had when the archive first saw it, or when it was granted if that was later. `renews` says of a plan
    whether another cycle follows, null where the source does not.
    """

    pk = models.CompositePrimaryKey("archive_id", "resource_id", "cycle")
    archive_id = models.BigIntegerField(db_column="user_id")
    resource_id = models.CharField(max_length=128)
    cycle = models.CharField(max_length=32)
    code = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10)
    size = models.BigIntegerField()
    left = models.BigIntegerField()
    used = models.BigIntegerField(null=True)
    granted_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=8)
    entered = models.BigIntegerField()
    changed_at = models.DateTimeField(null=True)
    changed_by = models.BigIntegerField(default=0)
    read_at = models.DateTimeField()
    renews = models.BooleanField(null=True)
    # Nothing of it changes any more: it is not asked for again.
    is_over = models.BooleanField(default=False)


class PackageReading(models.Model):
    """What was left of a package, from the instant `read_at` on until the next reading: a reading that says the same
    is not kept."""

    pk = models.CompositePrimaryKey("archive_id", "resource_id", "cycle", "read_at")
    archive_id = models.BigIntegerField(db_column="user_id")
    resource_id = models.CharField(max_length=128)
    cycle = models.CharField(max_length=32)
    read_at = models.DateTimeField()
    size = models.BigIntegerField()
    left = models.BigIntegerField()
    state = models.CharField(max_length=8)


class PackagesRead(models.Model):
    """When the packages of an archive were first and last read, and when its orders were asked for."""

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    first_at = models.DateTimeField()
    read_at = models.DateTimeField()
    orders_at = models.DateTimeField(null=True)


class Order(models.Model):
    """Money that was paid for packages: millionths of a currency. `months` is how many it pays for, or 0. `gone_at` is
    when the source was first seen not to list it as paid any more, null while it does."""

    pk = models.CompositePrimaryKey("archive_id", "order_id")
    archive_id = models.BigIntegerField(db_column="user_id")
    order_id = models.CharField(max_length=128)
    paid_at = models.DateTimeField()
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=8)
    what = models.CharField(max_length=220)
    months = models.PositiveSmallIntegerField(default=0)
    gone_at = models.DateTimeField(null=True)
