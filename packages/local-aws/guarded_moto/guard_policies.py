"""Finds the policy of a resource, and the keys that a service uses on the caller's behalf."""

import json
from typing import Any, Callable

from . import faults
from .guard_calls import Call
from .guard_finders import PARTITION, backend, bucket_of, key_of, role_of
from .guard_resources import Need

# Actions for which the policy of the resource must allow the caller or its account, even if it has no policy.
_DECIDING = ("kms", "sts")


def resource_policy(need: Need) -> tuple[str | None, bool]:
    """Returns the policy of a need's resource, and whether only this policy can allow the call."""
    service = need.action.split(":")[0]
    find = _FINDERS.get(service)
    if find is None or not need.resource.startswith("arn:"):
        return None, False
    _, _, _, region, account, name = need.resource.split(":", 5)
    try:
        policy = find(account, region, name)
    except Exception:  # moto raises each service's own error for a resource that does not exist, and then answers with it
        policy = None
    text = policy.decode() if isinstance(policy, bytes) else policy
    # For a missing key, the service itself returns the error.
    return text, service in _DECIDING and text is not None


def _key(account: str, region: str, name: str) -> Any:
    return backend("kms", account, region).keys[name.removeprefix("key/")]


def _secret(account: str, region: str, name: str) -> Any:
    return backend("secretsmanager", account, region).secrets[_arn("secretsmanager", region, account, name)]


def _arn(*parts: str) -> str:
    return ":".join(("arn", PARTITION, *parts))


def _function(account: str, region: str, name: str) -> Any:
    from moto.awslambda.utils import get_backend

    # Versions and aliases share the function's policy, whose statements name them.
    function = get_backend(account, region).get_function(name.split(":")[1])
    return json.dumps(function.policy.get_policy()["Policy"])


_FINDERS: dict[str, Callable[[str, str, str], Any]] = {
    "kms": lambda *where: _key(*where).policy,
    "lambda": _function,
    "s3": lambda _account, _region, name: _bucket(name).policy,
    "secretsmanager": lambda *where: _secret(*where).policy,
    "sns": lambda account, region, name: backend("sns", account, region).topics[_arn("sns", region, account, name)].policy,
    "sqs": lambda account, region, name: backend("sqs", account, region).queues[name].policy,
    "sts": lambda account, _region, name: role_of(account, name.split("/")[-1]).assume_role_policy_document,
}


def _bucket(name: str) -> Any:
    return bucket_of(name.split("/")[0])


_READ, _WRITE = ("kms:Decrypt",), ("kms:GenerateDataKey",)
_S3 = {"GetObject": _READ, "HeadObject": _READ, "PutObject": _WRITE, "CreateMultipartUpload": (*_WRITE, *_READ), "UploadPart": _READ}
_SECRETS = {"GetSecretValue": _READ, "PutSecretValue": (*_WRITE, *_READ), "CreateSecret": (*_WRITE, *_READ)}
_PARAMETERS = {"GetParameter": _READ, "GetParameters": _READ}
_TABLES = dict.fromkeys(
    ("BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"), _READ
)


def key_needs(call: Call, needs: list[Need], account: str) -> list[Need]:
    """Returns the KMS actions that a service performs on the caller's behalf: on the key of the bucket, secret or
    table, unless it is AWS-owned. Source: "Using SSE-KMS", "Secret encryption and decryption", "DynamoDB encryption
    at rest: usage notes".
    """
    actions, key_of = {
        "s3": (_S3, _bucket_key),
        "secretsmanager": (_SECRETS, lambda *where: _secret(*where).kms_key_id),
        "dynamodb": (_TABLES, _table_key),
        "ssm": (_PARAMETERS, _parameter_key),
    }.get(call.service, ({}, None))
    found = []
    for need in needs if call.operation in actions else []:
        where = need.resource.split(":", 5)[3:] if need.resource.startswith("arn:") else None
        try:
            key_id = key_of(where[1] or account, where[0] or call.region, where[2]) if where and key_of else None
        except (LookupError, AttributeError):  # no such bucket, secret or table: the service answers
            key_id = None
        arn = key_id and _arn_of(key_id, account, call.region)
        via = {"kms:viaservice": (f"{call.service}.{call.region}.amazonaws.com",)}
        if call.service == "s3":
            via["kms:encryptioncontext:aws:s3:arn"] = (need.resource,)
        found += [Need(action, arn, via) for action in actions[call.operation]] if arn else []
    return found


def _arn_of(key_id: str, account: str, region: str) -> str | None:
    key = key_of(account, region, key_id)
    # AWS managed keys allow every principal of the account that may use the service.
    return key.arn if key is not None and not any(alias.startswith("alias/aws/") for alias in key.aliases) else None


def _bucket_key(_account: str, _region: str, name: str) -> str | None:
    rule = (_bucket(name).encryption or {}).get("Rule", {})
    return rule.get("ApplyServerSideEncryptionByDefault", {}).get("KMSMasterKeyID")


def _table_key(account: str, region: str, name: str) -> str | None:
    return backend("dynamodb", account, region).tables[name.split("/")[1]].sse_specification.get("KMSMasterKeyId")


def _parameter_key(account: str, region: str, name: str) -> str | None:
    # Not by index: that would create a missing entry.
    versions = backend("ssm", account, region)._parameters.get(f"/{name.split('/', 1)[1]}")
    return versions[-1].keyid if versions and versions[-1].type == "SecureString" else None


def key_context(need: Need) -> dict[str, tuple[str, ...]]:
    """Returns the condition keys that describe a key."""
    if not need.action.startswith("kms:") or ":key/" not in need.resource:
        return {}
    _, _, _, region, account, name = need.resource.split(":", 5)
    try:
        aliases = _key(account, region, name).aliases
        return {"kms:resourcealiases": tuple(one for one in aliases if not faults.is_new(one, "kmsAliasSeconds"))}
    except KeyError:
        return {}
