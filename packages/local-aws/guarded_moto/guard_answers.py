"""Formats refusals for each AWS protocol: calls that are not allowed, not signed, or not valid."""

import json
from dataclasses import dataclass
from html import escape
from uuid import uuid4

from .guard_calls import Call


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes


def denied(call: Call, message: str) -> Answer:
    """Returns the answer to a call that is not allowed."""
    if call.protocol == "ec2":
        return _answer(call, 403, "UnauthorizedOperation", f"You are not authorized to perform this operation. {message}")
    if call.service == "sns":
        return _answer(call, 403, "AuthorizationError", message)
    queryish = call.protocol in ("query", "rest-xml")
    status = 400 if call.protocol in ("json", "cbor") else 403
    return _answer(call, status, "AccessDenied" if queryish else "AccessDeniedException", message)


def unknown_key(call: Call) -> Answer:
    """Returns the error for an unsigned call."""
    codes = {"ec2": "AuthFailure", "s3": "InvalidAccessKeyId", "sts": "InvalidClientTokenId", "iam": "InvalidClientTokenId"}
    code = codes.get(call.service, "UnrecognizedClientException")
    return _answer(call, 403, code, "The security token included in the request is invalid.")


# Errors of services that cannot assume a role because they do not know it yet. Terraform's provider retries on these.
_UNKNOWN_ROLES = {
    "apigateway": ("BadRequestException", "The role ARN does not have required permissions set to API Gateway"),
    "firehose": ("InvalidArgumentException", "Firehose is unable to assume role {role}. Please check the role provided."),
    "lambda": ("InvalidParameterValueException", "The role defined for the function cannot be assumed by Lambda."),
    "sagemaker": ("ValidationException", "Could not assume role {role}. Please ensure that the role exists"),
    "scheduler": ("ValidationException", "The execution role you provide must allow AWS EventBridge Scheduler to assume the role."),
    "states": (
        "AccessDeniedException",
        "Neither the global service principal states.amazonaws.com, nor the regional one is authorized to assume the provided role.",
    ),
}


def unknown_role(call: Call, role: str) -> Answer | None:
    """Returns the error for a call that passes a role which the service does not know yet; None if the service does not
    check.
    """
    code, message = _UNKNOWN_ROLES.get(call.service, (None, ""))
    return _answer(call, 400, code, message.format(role=role)) if code else None


# Status and error code of throttling, by service.
_THROTTLED = {
    "dynamodb": (400, "ThrottlingException"),
    "ec2": (503, "RequestLimitExceeded"),
    "lambda": (429, "TooManyRequestsException"),
    "apigateway": (429, "TooManyRequestsException"),
    "s3": (503, "SlowDown"),
}


def throttling(call: Call) -> Answer:
    """Returns the throttling error."""
    status, code = _THROTTLED.get(call.service, (400, "Throttling" if call.protocol == "query" else "ThrottlingException"))
    return _answer(call, status, code, "Rate exceeded")


def not_ready(call: Call) -> Answer:
    """Returns the error for invoking a function that is not ready."""
    state = "The function is currently in the following state: Pending"
    return _answer(call, 409, "ResourceConflictException", f"The operation cannot be performed at this time. {state}")


# Error codes for invalid requests by kind of error, for services that do not use ValidationException.
_INVALID = {
    "ec2": {"missing": "MissingParameter", "unknown": "UnknownParameter", "value": "InvalidParameterValue"},
    "route53": {"": "InvalidInput"},
    "s3": {"": "InvalidArgument", "malformed": "MalformedXML"},
}


def invalid(call: Call, kind: str, message: str) -> Answer:
    """Returns the error for a call that violates the service's model. `kind`: missing, value, unknown, malformed."""
    own = _INVALID.get(call.service)
    if own is not None:
        return _answer(call, 400, own.get(kind) or own.get("", "InvalidParameterValue"), message)
    if call.protocol == "query":
        return _answer(call, 400, "ValidationError", message)
    if call.service == "apigateway":
        return _answer(call, 400, "BadRequestException", message)
    return _answer(call, 400, "SerializationException" if kind == "malformed" else "ValidationException", message)


def _answer(call: Call, status: int, code: str, message: str) -> Answer:
    answer = _written(call, status, code, message)
    return Answer(status, {**answer.headers, "x-amzn-requestid": str(uuid4())}, answer.body)


def _written(call: Call, status: int, code: str, message: str) -> Answer:
    if call.request.method == "HEAD":
        return Answer(status, {"content-type": "application/xml"}, b"")
    if call.protocol == "cbor":
        headers = {"content-type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}
        return Answer(status, headers, b"\xa2" + b"".join(map(_cbor, ("__type", code, "message", message))))
    if call.protocol in ("json", "rest-json"):
        headers = {"content-type": "application/x-amz-json-1.1", "x-amzn-errortype": code}
        if call.service == "sqs" and code == "AccessDeniedException":
            headers["x-amzn-query-error"] = "AccessDenied;Sender"
        return Answer(status, headers, json.dumps({"__type": code, "message": message, "Message": message}).encode())
    error = f"<Code>{code}</Code><Message>{escape(message, quote=False)}</Message>"
    if call.protocol == "ec2":
        text = f"<Response><Errors><Error>{error}</Error></Errors><RequestID>local</RequestID></Response>"
    elif call.service == "s3":
        text = f"<Error>{error}<RequestId>local</RequestId></Error>"
    else:
        text = f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error><RequestId>local</RequestId></ErrorResponse>"
    return Answer(status, {"content-type": "text/xml"}, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode())


def _cbor(text: str) -> bytes:
    encoded = text.encode()
    return b"\x79" + len(encoded).to_bytes(2, "big") + encoded
