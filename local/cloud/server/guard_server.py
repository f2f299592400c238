"""Puts the guard before moto, and answers the front, which asks for the stand-ins."""

import base64
import io
import json
from typing import Any, Callable

from guard import check, decisions, request_from_front, request_of
from guard_answers import Answer
from guard_principals import CannotAssume, open_session
from guard_report import report

PATH = "/_cloud/permissions"


def guarded(application: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the application behind the guard."""

    def with_guard(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        path = environ["PATH_INFO"]
        if path.startswith(PATH):
            return _json(start_response, _control(path.removeprefix(PATH), _read(environ)))
        # The bodies of objects are large and decide nothing.
        stores = environ["REQUEST_METHOD"] == "PUT" and "/s3/aws4_request" in environ.get("HTTP_AUTHORIZATION", "")
        refusal = check(request_of(environ, b"" if stores else _read(environ)))
        if refusal is None:
            return application(environ, start_response)
        start_response(f"{refusal.status} Refused", [*refusal.headers.items(), ("content-length", str(len(refusal.body)))])
        return [refusal.body]

    return with_guard


def _read(environ: dict[str, Any]) -> bytes:
    """Returns the body, and leaves it to be read again."""
    stream = environ["wsgi.input"]
    length = environ.get("CONTENT_LENGTH")
    body = stream.read(int(length)) if length else stream.read() if environ.get("wsgi.input_terminated") else b""
    environ["wsgi.input"] = io.BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    return body


def _control(name: str, body: bytes) -> Any:
    if name == "/check":
        return _described(check(request_from_front(body)))
    if name == "/session":
        given = json.loads(body)
        try:
            key, secret, token = open_session(given["role"], given["service"], given["name"], source_arn=given["sourceArn"])
        except CannotAssume as error:
            return {"error": str(error)}
        return {"accessKeyId": key, "secretAccessKey": secret, "sessionToken": token}
    return report() if name == "/report" else decisions()


def _described(answer: Answer | None) -> Any:
    if answer is None:
        return {}
    return {"status": answer.status, "headers": answer.headers, "body": base64.b64encode(answer.body).decode()}


def _json(start_response: Callable[..., Any], value: Any) -> list[bytes]:
    start_response("200 OK", [("content-type", "application/json")])
    return [json.dumps(value).encode()]
