"""The guard: refuses calls that the caller's policies or the service's model do not allow, with AWS's messages."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Mapping

from .faults import is_new, note_birth, throttled
from .guard_answers import Answer, denied, not_ready, throttling, unknown_key, unknown_role
from .guard_calls import Call, Request, call_of, credential_of
from .guard_conditions import context_of, further_needs
from .guard_dependents import create_linked_role, dependent_needs, missing_linked_role
from .guard_policies import key_context, key_needs, resource_policy
from .guard_principals import ROOT_KEY, Caller, UnknownKey, caller_of, is_unknown, note_roles
from .guard_records import record, remember_grants
from .guard_resources import Need, NoEntry, needs_of, passed_roles
from .policy import Policies, decide
from .request_models import operation_of
from .validation import validate

ACCOUNT = "123456789012"


@dataclass(frozen=True)
class Denied(Exception):
    """A refusal: principal, action and reason in AWS's wording."""

    message: str


def check(request: Request) -> Answer | None:
    """Returns the refusal of a request, or None if it may pass. Unsigned requests pass."""
    credential = credential_of(request.headers.get("authorization", ""), request.query)
    if credential is None:
        return None
    call = call_of(credential, request)
    if throttled(call):
        return throttling(call)
    return _refusal(call) or validate(call) or _not_yet(call)


def after(request: Request) -> None:
    """Records changes of a call that other services see with a delay."""
    credential = credential_of(request.headers.get("authorization", ""), request.query)
    if credential is None or credential[2] not in ("apigateway", "application-autoscaling", "iam", "kms", "lambda"):
        return
    call = call_of(credential, request)
    linked = missing_linked_role(call, ACCOUNT)
    if linked is not None:
        create_linked_role(linked, ACCOUNT)
    if _changes_iam(call):
        note_roles(ACCOUNT)
    elif call.operation == "CreateAlias" and call.service == "kms":
        note_birth(call.params["AliasName"])
    elif call.operation in ("CreateFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration"):
        note_birth(_function_of(call))


def _changes_iam(call: Call) -> bool:
    return call.service == "iam" and not call.operation.startswith(("Get", "List"))


def _function_of(call: Call) -> str:
    return call.params["FunctionName"].split(":function:")[-1].split(":")[0]


def _not_yet(call: Call) -> Answer | None:
    """Returns the error for a call on something that is not ready yet."""
    if call.service == "lambda" and call.operation == "Invoke" and is_new(_function_of(call), "functionSeconds"):
        return not_ready(call)
    unknown = [role for role in passed_roles(call) if is_unknown(role)]
    return unknown_role(call, unknown[0]) if unknown else None


def needs_body(request: Request) -> bool:
    """Whether the body must be read to decide. Bodies of objects are large and irrelevant. `request` has no body yet.
    """
    if request.method != "PUT" or "/s3/aws4_request" not in request.headers.get("authorization", ""):
        return True
    operation = operation_of(call_of(("", "", "s3"), request))
    return operation is not None and not operation.has_streaming_input


def _refusal(call: Call) -> Answer | None:
    """Returns why a call is not allowed. The root user may do everything."""
    if _changes_iam(call):
        remember_grants(ACCOUNT)
    if call.access_key == ROOT_KEY:
        return None
    try:
        caller = caller_of(call.access_key, ACCOUNT)
        needs = needs_of(call, ACCOUNT)
        for need in [*needs, *further_needs(call, needs, ACCOUNT), *dependent_needs(call, needs, ACCOUNT), *key_needs(call, needs, ACCOUNT)]:
            require(caller, need, call)
    except UnknownKey:
        return unknown_key(call)
    except (Denied, NoEntry) as refusal:
        return denied(call, str(refusal))
    return None


def require(caller: Caller, need: Need, call: Call | None = None) -> None:
    """Decides about one action and records the decision. Raises Denied."""
    context = {
        "aws:securetransport": ("true",),
        **({"aws:requestedregion": (call.region,)} if call else {}),
        **(context_of(call, need, ACCOUNT) if call else {}),
        **caller.context,
        **key_context(need),
        **need.context,
    }
    resource, decides = resource_policy(need)
    policies = Policies(caller.identity, caller.boundary, resource, decides)
    decision = decide(caller.principal, need.action, need.resource, context, policies)
    who = caller.principal.role_arn or caller.principal.arn
    record(who, caller.principal, need.action, need.resource, context, policies, decision.allowed)
    if not decision.allowed:
        resource_text = f'"{need.resource}"' if need.action.startswith("s3:") else need.resource
        on = "" if need.resource == "*" and need.action.startswith("ec2:") else f" on resource: {resource_text}"
        raise Denied(f"User: {caller.principal.arn} is not authorized to perform: {need.action}{on} {decision.reason}")


def request_of(environ: Mapping[str, Any], body: bytes) -> Request:
    """Returns the request of a WSGI environment."""
    path, _, query = environ.get("RAW_URI", environ.get("REQUEST_URI", "")).partition("?")
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    headers["content-type"] = environ.get("CONTENT_TYPE") or ""
    return Request(environ["REQUEST_METHOD"], path, query, headers, body)


def request_from_front(described: bytes) -> Request:
    """Returns the request to a stand-in from the front's JSON description."""
    given = json.loads(described)
    path, _, query = given["url"].partition("?")
    return Request(given["method"], path, query, given["headers"], base64.b64decode(given["body"]))
