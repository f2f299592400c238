"""Determines which actions on which resources a call needs: the entries of `guard_table.json`, filled with its
parameters.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Callable, Iterator, Mapping

from .guard_calls import Call
from .guard_finders import PARTITION, backend, bucket_of, key_of, role_of
from .guard_table import FREE, OPERATIONS, PASSED_ROLES, PREFIXES, TAGGED_RESOURCES, TAGGING, TAGS
from .policy_conditions import Context

class NoEntry(Exception):
    """The table lacks an operation. It is refused, so that no call is unchecked."""


@dataclass(frozen=True)
class Need:
    """One action on one resource, with condition keys that only this need has."""

    action: str
    resource: str
    context: Context = field(default_factory=dict)


def needs_of(call: Call, account: str) -> list[Need]:
    """Returns everything that the caller must be allowed to do. Raises NoEntry."""
    service, operation = call.service, call.operation
    if f"{service}:{operation}" in FREE:
        return []
    if service == "apigateway":
        return [*_api_gateway(call), *_passed_role(call)]
    entry = table(service).get(operation or "")
    if entry is None:
        unknown = f"{service} {call.request.method} {call.request.path}?{call.request.query}"
        name = f"{service}:{operation}" if operation else unknown
        raise NoEntry(f"the local cloud does not know which permission {name} needs: add it to guard_table.json")
    action, templates = entry
    if service == "s3" and ("VersionId" in call.params or b"<VersionId>" in call.request.body):
        action += "Version"
    needs = [Need(action, one) for template in templates for one in resources(template, call, account)]
    return [*needs, *_tags(call, needs, account), *_absent_object(call), *_passed_role(call)]


def _tags(call: Call, needs: list[Need], account: str) -> list[Need]:
    """Returns the permission to tag what the call creates."""
    operation = TAGGING.get(call.service, "TagResource")
    parameters = TAGS.get(call.service, ("Tags", "tags"))
    given = [value for name, value in call.params.items() if name in parameters]
    creates = re.match("Authorize|Create|Put|Register", call.operation or "") and operation != call.operation
    if not (creates and any(given)):
        return []
    template = TAGGED_RESOURCES.get(f"{call.service}:{call.operation}")
    resource = next(resources(template, call, account)) if template else needs[0].resource
    return [Need(f"{PREFIXES.get(call.service, call.service)}:{operation}", resource)]


def _absent_object(call: Call) -> list[Need]:
    """Returns the permission to list the bucket, without which S3 does not reveal that an object is missing. Source:
    GetObject, Permissions.
    """
    if call.service != "s3" or call.operation not in ("GetObject", "HeadObject"):
        return []
    name = call.params.get("Bucket", "")
    bucket = bucket_of(name)
    if bucket is None or call.params["Key"] in bucket.keys:
        return []
    return [Need("s3:ListBucket", f"arn:{PARTITION}:s3:::{name}")]


@lru_cache(maxsize=None)
def table(service: str) -> Mapping[str, tuple[str, list[str]]]:
    """Returns action and resource templates of a service's operations."""
    entries = {}
    prefix = PREFIXES.get(service, service)
    for templates, names in OPERATIONS.get(service, {}).items():
        for name in names:
            operation, _, action = name.partition("=")
            entries[operation] = (f"{prefix}:{action or operation}", templates.split(" & "))
    return entries


def resources(template: str, call: Call, account: str) -> Iterator[str]:
    """Yields the resources of a template."""
    if template == "*":
        yield "*"
        return
    if template.startswith("@"):
        kind, parameter = template[1:].split(" ")
        for value in values_at(call.params, parameter) or ["*"]:
            yield from LOOKUPS[kind](value, call, account)
        return
    name = re.search(r"\{((?!account\}|region\})[^}]+)\}", template)
    found = values_at(call.params, name[1].partition("|")[0]) if name else []
    for value in found or ([name[1].partition("|")[2] or "*"] if name else [""]):
        yield value if value.startswith("arn:") else _absolute(_filled(template, name, value, call, account), call, account)


def _filled(template: str, name: re.Match[str] | None, value: str, call: Call, account: str) -> str:
    text = template.replace(name[0], value, 1) if name else template
    others = {"account": account, "region": call.region}

    def other(match: re.Match[str]) -> str:
        return others.get(match[1]) or next(iter(values_at(call.params, match[1])), "*")

    return re.sub(r"\{([^}]+)\}", other, text)


def _absolute(text: str, call: Call, account: str) -> str:
    if text == "*" or text.startswith("arn:"):
        return text
    return f"arn:{PARTITION}:{PREFIXES.get(call.service, call.service)}:{call.region}:{account}:{text}"


def values_at(params: Any, path: str) -> list[str]:
    """Returns the values of a parameter, as in `Target.RoleArn`; of a map, its keys; of a list, those of all elements."""
    if path in params:
        found = params[path]
    else:
        head, _, rest = path.partition(".")
        inner = params.get(head) if rest else None
        if isinstance(inner, dict):
            return values_at(inner, rest)
        if isinstance(inner, list):
            return [value for one in inner if isinstance(one, dict) for value in values_at(one, rest)]
        return []
    if isinstance(found, (list, dict)):
        return [str(one) for one in found]
    return [str(found)] if found not in (None, "") else []


def passed_roles(call: Call) -> list[str]:
    """Returns the ARNs of the roles that a call gives to a service."""
    _, parameter = PASSED_ROLES.get(f"{call.service}:{call.operation}", ("", ""))
    roles = values_at(call.params, parameter) if parameter else []
    return [role for role in roles if role.startswith("arn:") and ":role/" in role]


def _passed_role(call: Call) -> list[Need]:
    service, _ = PASSED_ROLES.get(f"{call.service}:{call.operation}", ("", ""))
    passed = {"iam:passedtoservice": (f"{service}.amazonaws.com",)}
    return [Need("iam:PassRole", role, passed) for role in passed_roles(call)]


def _api_gateway(call: Call) -> list[Need]:
    # Paths in policies are those of the requests, with ARNs encoded. Source: "Actions, resources, and condition keys
    # for API Gateway management".
    resource = f"arn:{PARTITION}:apigateway:{call.region}::{call.request.path}"
    needs = [Need(f"apigateway:{call.request.method}", resource)]
    changed = values_at(call.params, "patchOperations.path")
    if (call.operation == "CreateRestApi" and call.params.get("policy")) or "/policy" in changed:
        needs.append(Need("apigateway:UpdateRestApiPolicy", resource if call.request.method == "PATCH" else f"{resource}/*"))
    return needs


def _arn(call: Call, account: str, text: str) -> str:
    return f"arn:{PARTITION}:{call.service}:{call.region}:{account}:{text}"


def _role(name: str, call: Call, account: str) -> Iterator[str]:
    role = role_of(account, name)
    yield f"arn:{PARTITION}:iam::{account}:role{role.path if role else call.params.get('Path', '/')}{name}"


def _key(key_id: str, call: Call, account: str) -> Iterator[str]:
    found = key_of(account, call.region, key_id)
    yield found.arn if found else f"arn:{PARTITION}:kms:{call.region}:{account}:key/{key_id.split('/')[-1]}"


def _function(name: str, call: Call, account: str) -> Iterator[str]:
    arn = name if name.startswith("arn:") else _arn(call, account, f"function:{name}")
    qualifier = call.params.get("Qualifier")
    qualified = arn.count(":") == 7
    # The resource contains a version or alias only if the call does. Source: "Fine-tuning the resources section",
    # Lambda.
    yield f"{arn}:{qualifier}" if qualifier and not qualified and call.operation == "Invoke" else arn


def _secret(name: str, call: Call, account: str) -> Iterator[str]:
    found = backend("secretsmanager", account, call.region).secrets.get(name)
    yield found.arn if found else name if name.startswith("arn:") else _arn(call, account, f"secret:{name}")


def _parameter(name: str, call: Call, account: str) -> Iterator[str]:
    yield name if name.startswith("arn:") else _arn(call, account, f"parameter/{name.removeprefix('/')}")


def _deleted(bucket: str, call: Call, _account: str) -> Iterator[str]:
    # The body is XML with all keys of one bucket. The policies here distinguish keys only by prefix.
    for key in re.findall(rb"<Key>(.*?)</Key>", call.request.body) or [b"*"]:
        yield f"arn:{PARTITION}:s3:::{bucket}/{key.decode()}"


NETWORKS = {"sg": "security-group", "sgr": "security-group-rule", "vpce": "vpc-endpoint", "eni": "network-interface"}


def _network(name: str, call: Call, account: str) -> Iterator[str]:
    yield _arn(call, account, f"{NETWORKS.get(name.split('-')[0], '*')}/{name}")


# Some of the regions to which an inference profile may route a call, by the first part of its id. A global one may
# route to every region, and is also checked without one.
PROFILE_REGIONS = {
    "us": ("us-east-1", "us-west-2"),
    "us-gov": ("us-gov-east-1", "us-gov-west-1"),
    "eu": ("eu-central-1", "eu-west-3"),
    "apac": ("ap-northeast-1", "ap-southeast-2"),
    "jp": ("ap-northeast-1", "ap-northeast-3"),
    "au": ("ap-southeast-2", "ap-southeast-4"),
    "global": ("us-east-1", "eu-central-1", ""),
}


def _model(name: str, call: Call, account: str) -> Iterator[str]:
    area, _, model = name.partition(".")
    profile = area in PROFILE_REGIONS
    if profile:
        yield _arn(call, account, f"inference-profile/{name}")
    for region in (call.region, *PROFILE_REGIONS.get(area, ())):
        yield f"arn:{PARTITION}:bedrock:{region}::foundation-model/{model if profile else name}"


LOOKUPS: dict[str, Callable[[str, Call, str], Iterator[str]]] = {
    "dataset": lambda kind, call, account: iter(
        [_arn(call, account, f"dataset/{str(call.params.get('datasetGroupArn')).split('/')[-1]}/{kind.upper()}")]
    ),
    "deleted": _deleted,
    "function": _function,
    "key": _key,
    "model": _model,
    "network": _network,
    "parameter": _parameter,
    "path": lambda arn, *_: iter([arn]),
    "queue": lambda url, call, account: iter([_arn(call, account, url.rsplit("/", 1)[-1])]),
    "role": _role,
    "secret": _secret,
}
