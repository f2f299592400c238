"""The guard: refuses what the policies of a request's caller do not allow, in AWS's words, and counts its decisions."""

import base64
import json
import os
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any, Mapping

from guard_answers import Answer, denied, unknown_key
from guard_calls import Call, Request, call_of, credential_of
from guard_policies import key_context, key_needs, resource_policy
from guard_principals import ROOT_KEY, Caller, UnknownKey, caller_of
from guard_resources import Need, NoEntry, needs_of
from policy import Policies, decide

ENFORCED = os.environ.get("CLOUD_PERMISSIONS") == "enforced"
ACCOUNT = "123456789012"

_decisions: Counter[tuple[str, str, str, bool]] = Counter()
_lock = threading.Lock()


@dataclass(frozen=True)
class Denied(Exception):
    """A refusal: who may not do what, and why, as AWS says it."""

    message: str


def check(request: Request) -> Answer | None:
    """Returns the refusal of a request, or None if it may pass. Unsigned requests and the root user's pass."""
    credential = credential_of(request.headers.get("authorization", ""), request.query)
    if credential is None or credential[0] == ROOT_KEY:
        return None
    call = call_of(credential, request)
    try:
        caller = caller_of(call.access_key, ACCOUNT)
        needs = needs_of(call, ACCOUNT)
        for need in [*needs, *key_needs(call, needs, ACCOUNT)]:
            require(caller, need, call)
    except UnknownKey:
        return unknown_key(call)
    except (Denied, NoEntry) as refusal:
        return denied(call, str(refusal))
    return None


def require(caller: Caller, need: Need, call: Call | None = None) -> None:
    """Decides about one action and counts the decision. Raises Denied."""
    context = {
        "aws:securetransport": ("true",),
        **({"aws:requestedregion": (call.region,)} if call else {}),
        **(_request_context(call) if call else {}),
        **caller.context,
        **key_context(need),
        **need.context,
    }
    resource, decides = resource_policy(need)
    policies = Policies(caller.identity, caller.boundary, resource, decides)
    decision = decide(caller.principal, need.action, need.resource, context, policies)
    who = caller.principal.role_arn or caller.principal.arn
    with _lock:
        _decisions[who, need.action, need.resource, decision.allowed] += 1
    if not decision.allowed:
        resource_text = f'"{need.resource}"' if need.action.startswith("s3:") else need.resource
        on = "" if need.resource == "*" and need.action.startswith("ec2:") else f" on resource: {resource_text}"
        raise Denied(f"User: {caller.principal.arn} is not authorized to perform: {need.action}{on} {decision.reason}")


def _request_context(call: Call) -> dict[str, tuple[str, ...]]:
    names = {"s3:prefix": call.params.get("Prefix")} if call.service == "s3" else {}
    if call.service == "iam":
        names = {"iam:awsservicename": call.params.get("AWSServiceName"), "iam:permissionsboundary": call.params.get("PermissionsBoundary")}
    return {name: (str(value),) for name, value in names.items() if value is not None}


def decisions() -> list[dict[str, Any]]:
    """Returns each different decision so far, with how often it was made."""
    with _lock:
        counted = sorted(_decisions.items())
    names = ("principal", "action", "resource", "allowed")
    return [{**dict(zip(names, decision)), "count": count} for decision, count in counted]


def request_of(environ: Mapping[str, Any], body: bytes) -> Request:
    """Returns the request of a WSGI environment."""
    path, _, query = environ.get("RAW_URI", environ.get("REQUEST_URI", "")).partition("?")
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    headers["content-type"] = environ.get("CONTENT_TYPE") or ""
    return Request(environ["REQUEST_METHOD"], path, query, headers, body)


def request_from_front(described: bytes) -> Request:
    """Returns the request to a stand-in that the front describes."""
    given = json.loads(described)
    path, _, query = given["url"].partition("?")
    return Request(given["method"], path, query, given["headers"], base64.b64decode(given["body"]))
