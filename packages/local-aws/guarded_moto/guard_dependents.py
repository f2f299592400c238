"""Further permissions of a call: dependent actions, from the Service Authorization Reference, and service-linked roles."""

import re
from typing import Any, Callable, Iterator, Mapping

from .guard_calls import Call
from .guard_conditions import reference
from .guard_finders import PARTITION, backend
from .guard_resources import Need, passed_roles
from .guard_table import TAGGING

Params = Mapping[str, Any]


def _never(_params: Params) -> bool:
    return False


# Conditions under which a call needs a dependent action. Source: the footnotes of the reference and the API references.
WHEN: dict[tuple[str, str], Callable[[Params], bool]] = {
    ("ec2:CreateVpcEndpoint", "route53:AssociateVPCWithHostedZone"): lambda params: params.get("PrivateDnsEnabled") is True,
    ("kms:CreateKey", "iam:CreateServiceLinkedRole"): lambda params: params.get("MultiRegion") is True,
    # The API reference asks for CreateKey and TagResource alone: PutKeyPolicy must only be possible afterwards.
    ("kms:CreateKey", "kms:PutKeyPolicy"): _never,
    ("lambda:CreateFunction", "lambda:PassCapacityProvider"): lambda params: "CapacityProviderConfig" in params,
    ("states:CreateStateMachine", "states:PublishStateMachineVersion"): lambda params: params.get("publish") is True,
    ("states:UpdateStateMachine", "states:PublishStateMachineVersion"): lambda params: params.get("publish") is True,
    # For web ACLs that another account shares.
    ("wafv2:AssociateWebACL", "wafv2:GetPermissionPolicy"): _never,
    ("wafv2:AssociateWebACL", "wafv2:PutPermissionPolicy"): _never,
    ("wafv2:DisassociateWebACL", "wafv2:PutPermissionPolicy"): _never,
}

# The service whose role AWS creates, with the permission of the caller who first needs it. The reference does not have
# these. Source: "Using service-linked roles" of API Gateway and of Application Auto Scaling.
SERVICE_LINKED_ROLES: dict[tuple[str, str], Callable[[Params], str | None]] = {
    ("apigateway", "CreateDomainName"): lambda params: (
        "ops.apigateway" if "REGIONAL" in params.get("endpointConfiguration", {}).get("types", []) else None
    ),
    ("application-autoscaling", "RegisterScalableTarget"): lambda params: f"{params.get('ServiceNamespace')}.application-autoscaling",
}

# Permissions of the caller that Application Auto Scaling checks first. Source: its guide, "Permissions validation for
# API calls on target resources", and "Identity-based policy examples". It checks alarms without a name.
SCALED = {
    "lambda": ("DeleteProvisionedConcurrencyConfig", "GetProvisionedConcurrencyConfig", "PutProvisionedConcurrencyConfig"),
    "sagemaker": ("DescribeEndpoint", "UpdateEndpointWeightsAndCapacities"),
}


def _scaling(call: Call, account: str) -> Iterator[Need]:
    if call.service != "application-autoscaling" or call.operation not in ("PutScalingPolicy", "RegisterScalableTarget"):
        return
    service = str(call.params.get("ServiceNamespace"))
    kind, name = re.split("[:/]", str(call.params.get("ResourceId")))[:2]
    resource = f"arn:{PARTITION}:{service}:{call.region}:{account}:{kind}{'/' if service == 'sagemaker' else ':'}{name}"
    yield from (Need(f"{service}:{action}", resource) for action in SCALED.get(service, ()))
    if call.operation == "PutScalingPolicy":
        yield from (Need(f"cloudwatch:{action}", "*") for action in ("DeleteAlarms", "DescribeAlarms", "PutMetricAlarm"))


def dependent_needs(call: Call, needs: list[Need], account: str) -> list[Need]:
    """Returns the dependent actions of a call. `needs` already contains roles passed in the usual parameter, and tags.
    """
    found = [one for need in needs for one in _dependents(need.action, call)]
    found.extend(_scaling(call, account))
    service = missing_linked_role(call, account)
    if service is not None:
        role = f"arn:{PARTITION}:iam::{account}:role/aws-service-role/{service}/AWSServiceRole"
        found.append(Need("iam:CreateServiceLinkedRole", role, {"iam:awsservicename": (service,)}))
    return found


def missing_linked_role(call: Call, account: str) -> str | None:
    """Returns the service whose role a call creates, or None."""
    find = SERVICE_LINKED_ROLES.get((call.service, call.operation or ""))
    name = find(call.params) if find else None
    service = f"{name}.amazonaws.com"
    roles = list(backend("iam", account).roles.values())
    return None if name is None or any(role.path == f"/aws-service-role/{service}/" for role in roles) else service


def create_linked_role(service: str, account: str) -> None:
    """Creates a service's role, as AWS does after the first call that needs it."""
    backend("iam", account).create_service_linked_role(service_name=service, description="", suffix="")


def _dependents(action: str, call: Call) -> Iterator[Need]:
    service = action.split(":")[0]
    entry = reference().get(action, {})
    # Without a resource type, IAM may or may not check the resource, so the caller must be allowed both.
    if entry.get("resources") == []:
        yield Need(action, "*")
    for dependent in entry.get("dependent", []):
        if dependent == f"{service}:{TAGGING.get(call.service, 'TagResource')}":
            continue
        if dependent == "iam:PassRole":
            known = passed_roles(call)
            # A function's variables are texts: it passes what they name itself.
            params = {name: value for name, value in call.params.items() if name != "Environment"}
            yield from (Need(dependent, role) for role in _roles_in(params) if role not in known)
        elif _concerns(dependent, service, call.params) and WHEN.get((action, dependent), lambda _: True)(call.params):
            yield Need(dependent, call.params.get("ResourceArn", "*") if service == "wafv2" else "*")


def _concerns(dependent: str, service: str, params: Params) -> bool:
    """Whether a dependent action concerns this call. Some calls list those of every service that they work with."""
    if service == "wafv2":
        return dependent.split(":")[0] in (service, str(params.get("ResourceArn")).split(":")[2:3][0])
    # Quotas of Lambda, SageMaker and Personalize are not read from the services that the reference names.
    return service != "servicequotas"


def _roles_in(value: Any) -> Iterator[str]:
    if isinstance(value, str) and re.fullmatch(r"arn:[\w-]+:iam::\d+:role/.+", value):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _roles_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from _roles_in(one)
