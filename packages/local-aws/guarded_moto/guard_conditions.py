"""Finds the condition keys of a call that IAM policies compare: tags, boundaries, functions, records.

A key is only there where the Service Authorization Reference lists it for the action and the kind of resource, so that a
condition which AWS never fills in refuses here, too.
"""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping

from .guard_calls import Call
from .guard_finders import PARTITION, backend, key_of, role_of
from .guard_resources import Need, values_at
from .policy_conditions import Context

# The keys that are filled in here or in the need itself; `extract_authorization.py` takes only these from the reference.
SUPPLIED = re.compile(
    r"aws:(request|resource)tag/|aws:tagkeys|iam:(awsservicename|passedtoservice|permissionsboundary|policyarn)"
    r"|kms:(resourcealiases|viaservice|encryptioncontext:)|lambda:functionarn|ec2:createaction|sagemaker:taggingaction"
    r"|application-autoscaling:service-namespace|route53:changeresourcerecordsets|s3:prefix"
)


@lru_cache(maxsize=1)
def reference() -> Mapping[str, Mapping[str, Any]]:
    """Returns what the Service Authorization Reference says of each action."""
    return json.loads((Path(__file__).parent / "authorization.json").read_text())["actions"]


def context_of(call: Call, need: Need, account: str) -> Context:
    """Returns the condition keys of one need of a call."""
    found = {**_request_tags(call), **_request(call, account), **_resource(call, need, account)}
    return {name: values for name, values in found.items() if values and _is_listed(need, name)}


def _is_listed(need: Need, key: str) -> bool:
    listed = reference().get(need.action, {}).get("conditions", {})
    kind = need.resource.split(":", 5)[-1].split("/")[0]
    # Only EC2 has other keys for each kind of resource of an action.
    keys = [*listed.get("", []), *listed.get(kind, [])]
    return any(key.startswith(one) if one.endswith(("/", ":")) else key == one for one in keys)


def _request_tags(call: Call) -> Context:
    given = [value for name in ("Tags", "tags", "TagSpecifications") for value in _list(call.params.get(name))]
    pairs = [pair for one in given for pair in _pairs(one)]
    keys = [key for key, _ in pairs] or values_at(call.params, "TagKeys") or values_at(call.params, "tagKeys")
    if call.operation == "DeleteTags":
        keys, pairs = [key for key, _ in pairs], []
    return {"aws:tagkeys": tuple(keys), **{f"aws:requesttag/{key.lower()}": (value,) for key, value in pairs}}


def _pairs(tags: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(tags, dict):
        return
    name = next((one for one in ("Key", "TagKey", "key") if one in tags), None)
    if name is not None:
        yield str(tags[name]), str(tags.get(name.replace("Key", "Value").replace("key", "value"), ""))
    elif "ResourceType" in tags:
        for one in _list(tags.get("Tags") or tags.get("Tag")):
            yield from _pairs(one)
    else:
        yield from ((str(key), str(value)) for key, value in tags.items())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def further_needs(call: Call, needs: list[Need], account: str) -> list[Need]:
    """Returns the needs of an event source mapping that is given to another function: both must be allowed."""
    function = _function_named(call, account)
    if call.operation != "UpdateEventSourceMapping" or not function:
        return []
    return [Need(needs[0].action, needs[0].resource, {"lambda:functionarn": function})]


def _function_named(call: Call, account: str) -> tuple[str, ...]:
    name = call.params.get("FunctionName")
    return () if name is None else (name if name.startswith("arn:") else f"arn:{PARTITION}:lambda:{call.region}:{account}:function:{name}",)


def _request(call: Call, account: str) -> Context:
    params = call.params
    if call.operation == "CreateEventSourceMapping":
        return {"lambda:functionarn": _function_named(call, account)}
    if call.service == "iam":
        return {
            "iam:awsservicename": _one(params.get("AWSServiceName")),
            "iam:permissionsboundary": _one(params.get("PermissionsBoundary")),
            "iam:policyarn": _one(params.get("PolicyArn")),
        }
    if call.service == "route53" and call.operation == "ChangeResourceRecordSets":
        prefix = "route53:changeresourcerecordsets"
        of = lambda path: tuple(values_at(params, f"ChangeBatch.Changes.{path}"))  # noqa: E731
        names = tuple(name.lower().rstrip(".") for name in of("ResourceRecordSet.Name"))
        kinds, actions = of("ResourceRecordSet.Type"), of("Action")
        return {f"{prefix}normalizedrecordnames": names, f"{prefix}recordtypes": kinds, f"{prefix}actions": actions}
    created = {"ec2": "ec2:createaction", "sagemaker": "sagemaker:taggingaction"}.get(call.service)
    if created is not None and call.operation not in ("CreateTags", "AddTags"):
        return {created: _one(call.operation)}
    return {
        "application-autoscaling:service-namespace": _one(params.get("ServiceNamespace")),
        "s3:prefix": _one(params.get("Prefix")) if call.service == "s3" else (),
    }


def _one(value: Any) -> tuple[str, ...]:
    return () if value is None else (str(value),)


def _resource(call: Call, need: Need, account: str) -> Context:
    find = _FINDERS.get(need.action.split(":")[0])
    if find is None or need.resource == "*":
        return {}
    try:
        return find(call, need, account)
    except (LookupError, AttributeError):  # no such resource: no tags
        return {}


def _tags(found: Mapping[str, str] | None) -> Context:
    return {f"aws:resourcetag/{key.lower()}": (value,) for key, value in (found or {}).items()}


def _of_list(tags: Any) -> dict[str, str]:
    return dict(pair for one in _list(tags) for pair in _pairs(one))


def _of_role(call: Call, need: Need, account: str) -> Context:
    role = role_of(account, need.resource.split("/")[-1])
    if role is None or call.operation == "CreateRole":
        return {}
    # The request's boundary counts when it sets one, else that of the role.
    boundary = {} if call.params.get("PermissionsBoundary") else {"iam:permissionsboundary": _one(role.permissions_boundary_arn or None)}
    return {**_tags(_of_list(list(role.tags.values()) if isinstance(role.tags, dict) else role.tags)), **boundary}


def _of_key(call: Call, need: Need, account: str) -> Context:
    key = key_of(account, call.region, need.resource)
    return _tags(backend("kms", account, call.region).tagger.get_tag_dict_for_resource(key.id))


def _of_network(call: Call, need: Need, account: str) -> Context:
    return _tags(backend("ec2", account, call.region).tags.get(need.resource.split("/")[-1]))


def _of_api(call: Call, need: Need, account: str) -> Context:
    # Children have the tags of an API, a host name or a usage plan. Source: "API Gateway resources that can be tagged".
    kind, _, rest = need.resource.split("::", 1)[1].strip("/").partition("/")
    name = rest.split("/")[0]
    apis = backend("apigateway", account, call.region)
    all_of = {"restapis": apis.apis, "usageplans": apis.usage_plans, "apikeys": apis.keys, "domainnames": apis.domain_names}
    found = all_of.get(kind, {}).get(name)
    return _tags(found.tags if isinstance(found.tags, dict) else _of_list(found.tags))


def _of_sagemaker(call: Call, need: Need, account: str) -> Context:
    kind, _, name = need.resource.split(":", 5)[-1].partition("/")
    found = backend("sagemaker", account, call.region)
    stores = {"endpoint": found.endpoints, "endpoint-config": found.endpoint_configs, "model": found._models}
    return _tags(_of_list(stores[kind][name].tags))


def _of_mapping(call: Call, need: Need, account: str) -> Context:
    from moto.awslambda.utils import get_backend

    kind, _, name = need.resource.split(":", 5)[-1].partition(":")
    mapping = get_backend(account, call.region).get_event_source_mapping(name) if kind == "event-source-mapping" else None
    return {"lambda:functionarn": _one(mapping and mapping.function_arn)}


_FINDERS: dict[str, Callable[[Call, Need, str], Context]] = {
    "apigateway": _of_api,
    "ec2": _of_network,
    "iam": _of_role,
    "kms": _of_key,
    "lambda": _of_mapping,
    "sagemaker": _of_sagemaker,
}
