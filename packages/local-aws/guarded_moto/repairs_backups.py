"""Restores tables to a point in time. moto restores the table's current content instead."""

import copy
import time
from typing import Any

from .patching import repair, replace


@repair
def dynamodb_point_in_time() -> None:
    """moto ignores the time, restores tables without point-in-time recovery, and never updates the range of times."""
    from moto.core.exceptions import JsonRESTError
    from moto.dynamodb.exceptions import MockValidationException, PointInTimeRecoveryUnavailable, SourceTableNotFoundException
    from moto.dynamodb.models import DynamoDBBackend
    from moto.dynamodb.responses import DynamoHandler, DynamoResult

    def put_item(self: Any, table_name: str, item_attrs: dict[str, Any], *args: Any, **named: Any) -> Any:
        return _noting(self, table_name, item_attrs, lambda: original_put(self, table_name, item_attrs, *args, **named))

    def update_item(self: Any, table_name: str, key: dict[str, Any], *args: Any, **named: Any) -> Any:
        return _noting(self, table_name, key, lambda: original_update(self, table_name, key, *args, **named))

    def delete_item(self: Any, table_name: str, key: dict[str, Any], *args: Any, **named: Any) -> Any:
        return _noting(self, table_name, key, lambda: original_delete(self, table_name, key, *args, **named))

    def describe(self: Any, table_name: str) -> dict[str, Any]:
        found = original_describe(self, table_name)
        recovery = found["PointInTimeRecoveryDescription"]
        if recovery["PointInTimeRecoveryStatus"] == "ENABLED":
            # AWS is up to five minutes behind.
            recovery["LatestRestorableDateTime"] = time.time()
        return found

    def restore(self: Any) -> Any:
        source, target = self.body.get("SourceTableName"), self.body.get("TargetTableName")
        backend = self.dynamodb_backend
        if source not in backend.tables:
            raise SourceTableNotFoundException(source)
        recovery = describe(backend, source)["PointInTimeRecoveryDescription"]
        if recovery["PointInTimeRecoveryStatus"] != "ENABLED":
            raise PointInTimeRecoveryUnavailable(source)
        latest = recovery["LatestRestorableDateTime"]
        wanted = self.body.get("RestoreDateTime")
        if (wanted is None) != bool(self.body.get("UseLatestRestorableTime")):
            raise MockValidationException("One of RestoreDateTime and UseLatestRestorableTime must be given")
        at = latest if wanted is None else wanted.timestamp()
        if not recovery["EarliestRestorableDateTime"] <= at <= latest:
            kind = "com.amazonaws.dynamodb.v20120810#InvalidRestoreTimeException"
            raise JsonRESTError(kind, "RestoreDateTime is outside of the time that the table can be restored to")
        old = backend.tables[source]
        table = backend.restore_table_to_point_in_time(target, source)
        table.sse_specification = copy.deepcopy(old.sse_specification)
        for when, hash_key, range_key, item in reversed(getattr(old, "history", [])):
            if when > at:
                _put_back(table, hash_key, range_key, item)
        return DynamoResult(table.describe())

    original_put = replace(DynamoDBBackend, "put_item", put_item)
    original_update = replace(DynamoDBBackend, "update_item", update_item)
    original_delete = replace(DynamoDBBackend, "delete_item", delete_item)
    original_describe = replace(DynamoDBBackend, "describe_continuous_backups", describe)
    replace(DynamoHandler, "restore_table_to_point_in_time", restore)


def _noting(backend: Any, table_name: str, keys: dict[str, Any], write: Any) -> Any:
    """Writes, and records the item's previous version if the table can be restored."""
    table = backend.tables.get(table_name)
    if table is None or table.continuous_backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] != "ENABLED":
        return write()
    hash_key, range_key = backend.get_keys_value(table, keys)
    before = copy.deepcopy(table.get_item(hash_key, range_key))
    result = write()
    if not hasattr(table, "history"):
        table.history = []
    table.history.append((time.time(), hash_key, range_key, before))
    return result


def _put_back(table: Any, hash_key: Any, range_key: Any, item: Any) -> None:
    if item is None:
        table.delete_item(hash_key, range_key)
    elif table.has_range_key:
        table.items[hash_key][range_key] = item
    else:
        table.items[hash_key] = item
