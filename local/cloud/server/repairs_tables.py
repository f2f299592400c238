"""Makes concurrent DynamoDB writes safe."""

import threading
from functools import wraps
from typing import Any

from patching import repair, replace

# All operations that read an item and then write it, or that restore a copied table.
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
