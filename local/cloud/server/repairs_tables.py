"""DynamoDB writes that happen at the same time."""

import threading
from functools import wraps
from typing import Any

from patching import repair, replace

# Everything that reads an item and then writes it, or that puts a copied table back.
_WRITES = ("put_item", "update_item", "delete_item", "transact_write_items")


@repair
def dynamodb_atomic_writes() -> None:
    """moto serves requests in threads and reads, changes and writes items without a lock: concurrent ADDs get lost."""
    from moto.dynamodb.models import DynamoDBBackend

    # One for all tables: a transaction spans several. Reentrant, since a transaction calls the single writes.
    lock = threading.RLock()

    def locked(write: Any) -> Any:
        @wraps(write)
        def write_alone(*args: Any, **named: Any) -> Any:
            with lock:
                return write(*args, **named)

        return write_alone

    for name in _WRITES:
        replace(DynamoDBBackend, name, locked(getattr(DynamoDBBackend, name)))
