"""Makes concurrent DynamoDB writes safe, and reads fast."""

import base64
import threading
from functools import wraps
from typing import Any

from .patching import repair, replace

# All operations that read an item before writing it, or that restore a copied table.
_WRITES = ("put_item", "update_item", "delete_item", "transact_write_items")


@repair
def dynamodb_atomic_writes() -> None:
    """moto serves requests in threads and updates items without a lock, so concurrent ADDs get lost."""
    from moto.dynamodb.models import DynamoDBBackend

    # One lock for all tables, because a transaction spans several. Reentrant, because it calls the single writes.
    lock = threading.RLock()

    def locked(write: Any) -> Any:
        @wraps(write)
        def write_alone(*args: Any, **named: Any) -> Any:
            with lock:
                return write(*args, **named)

        return write_alone

    for name in _WRITES:
        replace(DynamoDBBackend, name, locked(getattr(DynamoDBBackend, name)))


@repair
def dynamodb_answers() -> None:
    """moto tries several spellings for each part of each attribute: 40 % of its time when reading tables."""
    from moto.core.serialize import BaseJSONSerializer

    def serialize_structure(self: Any, serialized: Any, value: Any, shape: Any, key: str) -> None:
        if shape.name == "AttributeValue" and isinstance(value, dict):
            self._default_serialize(serialized, _wire(value), shape, key)
        else:
            original(self, serialized, value, shape, key)

    original = replace(BaseJSONSerializer, "_serialize_type_structure", serialize_structure)


def _wire(value: dict[str, Any]) -> dict[str, Any]:
    """Returns an AttributeValue, such as {"S": "text"}, as JSON has it."""
    ((kind, content),) = value.items()
    match kind:
        case "B":
            return {kind: _base64(content)}
        case "BS":
            return {kind: [_base64(one) for one in content]}
        case "L":
            return {kind: [_wire(one) for one in content]}
        case "M":
            return {kind: {name: _wire(one) for name, one in content.items()}}
        case _:
            return value


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
