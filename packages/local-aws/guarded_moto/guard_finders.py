"""Finds moto's resources for the parts of the guard that need their policies, keys and ARNs."""

from typing import Any

PARTITION = "aws"


def backend(service: str, account: str, region: str = PARTITION) -> Any:
    """Returns moto's backend of a service. Services without regions have one for the partition."""
    from moto.backends import get_backend

    return get_backend(service)[account][region]


def bucket_of(name: str) -> Any:
    """Returns a bucket of any account, or None."""
    from moto.backends import get_backend

    backends = (by_partition[PARTITION] for by_partition in get_backend("s3").values())
    return next((one.buckets[name] for one in backends if name in one.buckets), None)


def role_of(account: str, name: str) -> Any:
    """Returns the role with this name, or None."""
    return next((role for role in backend("iam", account).roles.values() if role.name == name), None)


def key_of(account: str, region: str, key_id: str) -> Any:
    """Returns the key with this id, ARN or alias, or None."""
    keys = backend("kms", account, region)
    return keys.keys.get(keys.any_id_to_key_id(key_id) or "")
