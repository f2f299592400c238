"""Finds the policy of a resource, and the keys that a service uses with its caller's permission."""

import json
from typing import Any, Callable

import faults
from guard_calls import Call
from guard_resources import PARTITION, Need

# Actions for which the policy of the resource must allow the caller or its account, even if it has no policy.
_DECIDING = ("kms", "sts")


def resource_policy(need: Need) -> tuple[str | None, bool]:
    """Returns the policy of a need's resource, and whether it alone can allow."""
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
    # A key that does not exist gets its answer from the service, not from here.
    return text, service in _DECIDING and text is not None


def _bucket(_account: str, _region: str, name: str) -> Any:
    from moto.s3.models import s3_backends

    for by_partition in s3_backends.values():
        bucket = by_partition[PARTITION].buckets.get(name.split("/")[0])
        if bucket is not None:
            return bucket
    return None


def _key(account: str, region: str, name: str) -> Any:
    from moto.kms.models import kms_backends

    return kms_backends[account][region].keys[name.removeprefix("key/")]


def _queue(account: str, region: str, name: str) -> Any:
    from moto.sqs.models import sqs_backends

    return sqs_backends[account][region].queues[name].policy


def _topic(account: str, region: str, name: str) -> Any:
    from moto.sns.models import sns_backends

    return sns_backends[account][region].topics[f"arn:{PARTITION}:sns:{region}:{account}:{name}"].policy


def _secret(account: str, region: str, name: str) -> Any:
    from moto.secretsmanager.models import secretsmanager_backends

    secrets = secretsmanager_backends[account][region].secrets
    return secrets[f"arn:{PARTITION}:secretsmanager:{region}:{account}:{name}"]


def _function(account: str, region: str, name: str) -> Any:
    from moto.awslambda.utils import get_backend

    # Versions and aliases share the policy, whose statements name them.
    function = get_backend(account, region).get_function(name.split(":")[1])
    return json.dumps(function.policy.get_policy()["Policy"])


def _role(account: str, _region: str, name: str) -> Any:
    from moto.iam.models import iam_backends

    roles = iam_backends[account][PARTITION].roles.values()
    return next(role.assume_role_policy_document for role in roles if role.name == name.split("/")[-1])


_FINDERS: dict[str, Callable[[str, str, str], Any]] = {
    "kms": lambda *where: _key(*where).policy,
    "lambda": _function,
    "s3": lambda *where: _bucket(*where).policy,
    "secretsmanager": lambda *where: _secret(*where).policy,
    "sns": _topic,
    "sqs": _queue,
    "sts": _role,
}

_READ, _WRITE = ("kms:Decrypt",), ("kms:GenerateDataKey",)
_S3 = {"GetObject": _READ, "HeadObject": _READ, "PutObject": _WRITE, "CreateMultipartUpload": (*_WRITE, *_READ), "UploadPart": _READ}
_SECRETS = {"GetSecretValue": _READ, "PutSecretValue": (*_WRITE, *_READ), "CreateSecret": (*_WRITE, *_READ)}
_PARAMETERS = {"GetParameter": _READ, "GetParameters": _READ}
_TABLES = dict.fromkeys(
    ("BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"), _READ
)


def key_needs(call: Call, needs: list[Need], account: str) -> list[Need]:
    """
    Returns the actions on keys that a service does with its caller's permission: on the key of the bucket, secret or
    table, unless it belongs to AWS. Source: "Using SSE-KMS", "Secret encryption and decryption", "DynamoDB encryption
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
        found += [Need(action, arn, via) for action in actions[call.operation]] if arn else []
    return found


def _arn_of(key_id: str, account: str, region: str) -> str | None:
    from moto.kms.models import kms_backends

    keys = kms_backends[account][region]
    key = keys.keys.get(keys.any_id_to_key_id(key_id) or "")
    # Keys that AWS manages allow everyone of the account who may use the service.
    return key.arn if key is not None and not any(alias.startswith("alias/aws/") for alias in key.aliases) else None


def _bucket_key(account: str, region: str, name: str) -> str | None:
    rule = (_bucket(account, region, name).encryption or {}).get("Rule", {})
    return rule.get("ApplyServerSideEncryptionByDefault", {}).get("KMSMasterKeyID")


def _table_key(account: str, region: str, name: str) -> str | None:
    from moto.dynamodb.models import dynamodb_backends

    return dynamodb_backends[account][region].tables[name.split("/")[1]].sse_specification.get("KMSMasterKeyId")


def _parameter_key(account: str, region: str, name: str) -> str | None:
    from moto.ssm.models import ssm_backends

    # Not by index, which would add what is not there.
    versions = ssm_backends[account][region]._parameters.get(f"/{name.split('/', 1)[1]}")
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
