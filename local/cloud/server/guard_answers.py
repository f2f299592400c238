"""Writes refusals as each protocol of AWS has them."""

import json
from dataclasses import dataclass
from html import escape
from uuid import uuid4

from guard_calls import Call


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
    """Returns the answer to a call that nobody signed."""
    codes = {"ec2": "AuthFailure", "s3": "InvalidAccessKeyId", "sts": "InvalidClientTokenId", "iam": "InvalidClientTokenId"}
    code = codes.get(call.service, "UnrecognizedClientException")
    return _answer(call, 403, code, "The security token included in the request is invalid.")


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
        if call.service == "sqs":
            headers["x-amzn-query-error"] = "AccessDenied;Sender"
        return Answer(status, headers, json.dumps({"__type": code, "message": message, "Message": message}).encode())
    error = f"<Code>{code}</Code><Message>{escape(message)}</Message>"
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
