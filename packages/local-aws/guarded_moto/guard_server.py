"""Runs the guard in front of moto, and serves the front's permission checks for stand-ins."""

import base64
import io
import json
from dataclasses import replace
from typing import Any, Callable

from .faults import set_faults
from .guard import ACCOUNT, after, check, needs_body, request_from_front, request_of
from .guard_answers import Answer
from .guard_principals import CannotAssume, open_session
from .guard_records import decisions, report
from .repairs_delivery import firehose_delays

PATH = "/_cloud"


def guarded(application: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps moto's application with the guard."""

    def with_guard(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        path = environ["PATH_INFO"]
        if path.startswith(PATH):
            return _json(start_response, _control(path.removeprefix(PATH), _read(environ)))
        request = request_of(environ, b"")
        if needs_body(request):
            request = replace(request, body=_read(environ))
        refusal = check(request)
        if refusal is None:
            answer = application(environ, start_response)
            after(request)
            return answer
        start_response(f"{refusal.status} Refused", [*refusal.headers.items(), ("content-length", str(len(refusal.body)))])
        return [refusal.body]

    return with_guard


def _read(environ: dict[str, Any]) -> bytes:
    """Returns the body, which can still be read again."""
    stream = environ["wsgi.input"]
    length = environ.get("CONTENT_LENGTH")
    body = stream.read(int(length)) if length else stream.read() if environ.get("wsgi.input_terminated") else b""
    environ["wsgi.input"] = io.BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    return body


def _control(name: str, body: bytes) -> Any:
    if name == "/check":
        return _described(check(request_from_front(body)))
    given = json.loads(body)
    try:
        if name == "/faults":
            set_faults(given)
            return {}
        if name == "/firehose-delay":
            firehose_delays[given["stream"]] = float(given["seconds"])
            return {}
        if name == "/session":
            source = {"lambda:sourcefunctionarn": (given["sourceArn"],)} if given["name"] == "lambda" else {}
            keys = open_session(given["role"], given["service"], given["name"], source, source_arn=given["sourceArn"])
            return dict(zip(("accessKeyId", "secretAccessKey", "sessionToken"), keys))
    except (CannotAssume, ValueError) as error:
        return {"error": str(error)}
    return report(ACCOUNT) if name == "/report" else decisions()


def _described(answer: Answer | None) -> Any:
    if answer is None:
        return {}
    return {"status": answer.status, "headers": answer.headers, "body": base64.b64encode(answer.body).decode()}


def _json(start_response: Callable[..., Any], value: Any) -> list[bytes]:
    start_response("200 OK", [("content-type", "application/json")])
    return [json.dumps(value).encode()]
