"""Makes invocations run the function's code. Plain moto needs Docker for that, or echoes the payload."""

import base64
import io
import json
import os
import sys
import threading
import time
import uuid
import zipfile
from typing import Any
from urllib.parse import unquote

from . import guard
from .guard_principals import CannotAssume, open_session
from .patching import add, repair, replace
from .repairs_async import complete
from .repairs_capacity import provisioned
from .repairs_quotas import account_concurrency
from .repairs_terraform import logging_config
from .sandbox import Outcome, Pool, Program

# Upper limits for function timeouts, in seconds by function name, so that tests need not wait for long timeouts.
SHORT_CALLS = json.loads(os.environ.get("CLOUD_SHORT_CALLS") or "{}")

# Lambda's payload limits, in bytes.
MAX_SYNCHRONOUS = 6_291_456
MAX_ASYNCHRONOUS = 1_048_576


class Refused(Exception):
    """Lambda's rejection of an invocation: HTTP status, error type and message."""

    def __init__(self, status: int, kind: str, message: str):
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


class Runner:
    """Runs moto's function objects in the sandbox pool and turns their log lines into log events."""

    def __init__(self, node: str, front_url: str, work_dir: str):
        self.pool = Pool(node)
        self._front_url = front_url
        self._code_dir = os.path.join(work_dir, "functions")
        self._lock = threading.Lock()
        self._running: dict[str, int] = {}

    def run(self, function: Any, payload: str, qualifier: str | None = None) -> Outcome:
        """Runs one event and writes its log lines to the function's log group."""
        arn = f"{function.function_arn.split(':function:')[0]}:function:{function.function_name}"
        self._enter(function, arn)
        try:
            request_id = str(uuid.uuid4())
            started = time.monotonic()
            problem = _unsupported(function)
            if problem:
                outcome = Outcome(json.dumps({"errorType": "Runtime.NotSupported", "errorMessage": problem}), True, [problem])
            else:
                invoked = f"{arn}:{qualifier}" if qualifier else arn
                timeout = min(int(function.timeout), SHORT_CALLS.get(function.function_name, sys.maxsize))
                try:
                    program = self._program(function, qualifier)
                except CannotAssume as error:
                    raise Refused(403, "AccessDeniedException", f"{error}") from error
                outcome = self.pool.run(program, request_id, payload, invoked, timeout)
            if not outcome.failed and len(outcome.payload.encode()) > MAX_SYNCHRONOUS:
                outcome = _too_large(outcome)
            self._log(function, request_id, outcome, (time.monotonic() - started) * 1000)
            return outcome
        finally:
            with self._lock:
                self._running[arn] -= 1

    def run_when_free(self, function: Any, payload: str, qualifier: str | None) -> None:
        """Runs one asynchronous event, each attempt as soon as the limits of concurrency allow it, as Lambda does."""

        def attempt() -> Outcome:
            while True:
                try:
                    return self.run(function, payload, qualifier)
                except Refused as refused:
                    if refused.status != 429:
                        raise
                    time.sleep(0.2)

        complete(function_backend(function), function, qualifier, payload, attempt)

    def _enter(self, function: Any, arn: str) -> None:
        limit = function.reserved_concurrency
        with self._lock:
            running = self._running.get(arn, 0)
            if (limit is not None and running >= int(limit)) or sum(self._running.values()) >= account_concurrency():
                raise Refused(429, "TooManyRequestsException", "Rate Exceeded.")
            self._running[arn] = running + 1

    def _program(self, function: Any, qualifier: str | None) -> Program:
        logging = logging_config(function)
        store = provisioned(function_backend(function))
        warm = any((function.function_name, name) in store for name in (qualifier, str(function.version)))
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": os.environ.get("HOME", "/tmp"),
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "_HANDLER": function.handler,
            "LAMBDA_TASK_ROOT": self._unpack(function),
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.run_time}",
            "AWS_REGION": function.region,
            "AWS_DEFAULT_REGION": function.region,
            **_credentials(function),
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": self._front_url,
            "AWS_LAMBDA_FUNCTION_NAME": function.function_name,
            "AWS_LAMBDA_FUNCTION_VERSION": str(function.version),
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_size),
            "AWS_LAMBDA_INITIALIZATION_TYPE": "provisioned-concurrency" if warm else "on-demand",
            "AWS_LAMBDA_LOG_FORMAT": logging["LogFormat"],
            "AWS_LAMBDA_LOG_GROUP_NAME": logging["LogGroup"],
            "AWS_LAMBDA_LOG_STREAM_NAME": _log_stream(function),
            **{name: str(value) for name, value in (function.environment_vars or {}).items()},
        }
        return Program(
            key=f"{function.function_arn}:{function.version}",
            root=environment["LAMBDA_TASK_ROOT"],
            handler=function.handler,
            memory_mb=int(function.memory_size),
            environment=tuple(sorted(environment.items())),
        )

    def _unpack(self, function: Any) -> str:
        """Returns the folder with the function's code, unpacked once for all functions and versions that share it."""
        folder = os.path.join(self._code_dir, base64.b64decode(function.code_sha_256).hex())
        with self._lock:
            if not os.path.isdir(folder):
                unfinished = f"{folder}.{uuid.uuid4().hex}"
                with zipfile.ZipFile(io.BytesIO(function.code_bytes)) as archive:
                    archive.extractall(unfinished)
                os.rename(unfinished, folder)
        return folder

    def _log(self, function: Any, request_id: str, outcome: Outcome, milliseconds: float) -> None:
        config = logging_config(function)
        before, after = _platform_lines(config["LogFormat"], function, request_id, milliseconds)
        now = int(time.time() * 1000)
        events = [{"timestamp": now, "message": line} for line in (*before, *outcome.logs, *after)]
        backend, group, stream = function.logs_backend, config["LogGroup"], _log_stream(function)
        try:
            backend.ensure_log_group(group)
            if stream not in backend.groups[group].streams:
                backend.create_log_stream(group, stream)
            backend.put_log_events(group, stream, events)
        except Exception as error:  # as in Lambda, a failed log write never fails the invocation
            print(f"the log of {function.function_name} could not be written: {error!r}", file=sys.stderr)


def _credentials(function: Any) -> dict[str, str]:
    """Returns credentials of the function's role."""
    # Without the version: the condition key names the function.
    source = {"lambda:sourcefunctionarn": (function.function_arn,)}
    keys = open_session(function.role, "lambda.amazonaws.com", function.function_name, source)
    return dict(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"), keys))


def function_backend(function: Any) -> Any:
    """Returns the Lambda backend that a function belongs to."""
    from moto.awslambda.utils import get_backend

    return get_backend(function.account_id, function.region)


def _unsupported(function: Any) -> str | None:
    if function.package_type != "Zip":
        return "the local cloud runs functions that were uploaded as zip files, not container images"
    if not str(function.run_time).startswith("nodejs"):
        return f"the local cloud runs Node.js functions, not {function.run_time}"
    if not getattr(function, "code_bytes", None):
        return f"the code of {function.function_name} is empty: its S3 object did not exist when it was created"
    return None


def _log_stream(function: Any) -> str:
    return f"packages/local/[{function.version}]"


def _platform_lines(log_format: str, function: Any, request_id: str, milliseconds: float) -> tuple[list[str], list[str]]:
    version, rounded = str(function.version), round(milliseconds, 2)
    if log_format == "JSON":
        start = {"type": "platform.start", "record": {"requestId": request_id, "version": version}}
        report = {"type": "platform.report", "record": {"requestId": request_id, "metrics": {"durationMs": rounded}}}
        return [json.dumps(start)], [json.dumps(report)]
    report = f"REPORT RequestId: {request_id}\tDuration: {rounded} ms\tMemory Size: {function.memory_size} MB"
    return [f"START RequestId: {request_id} Version: {version}"], [f"END RequestId: {request_id}", report]


def _too_large(outcome: Outcome) -> Outcome:
    message = "Response payload size exceeded maximum allowed payload size (6291556 bytes)."
    error = {"errorType": "Function.ResponseSizeTooLarge", "errorMessage": message}
    return Outcome(json.dumps(error), True, outcome.logs)


def _payload_text(body: bytes | str | None, limit: int, invocation: str) -> str:
    raw = body if isinstance(body, bytes) else (body or "").encode()
    if len(raw) > limit:
        message = f"{len(raw)} byte payload is too large for the {invocation} invocation type (limit {limit} bytes)"
        raise Refused(413, "RequestEntityTooLargeException", message)
    if not raw.strip():
        return "{}"
    try:
        json.loads(raw)
    except ValueError as error:
        message = f"Could not parse request body into json: {error}"
        raise Refused(400, "InvalidRequestContentException", message) from error
    # The sandbox reads line by line. JSON allows line breaks only between tokens, so spaces can replace them.
    return raw.decode().replace("\r", " ").replace("\n", " ")


@repair
def lambda_runner() -> None:
    """Makes every invocation run the uploaded code, and an alias its version (moto reads the wrong parameter)."""
    from moto.awslambda.models import LambdaFunction
    from moto.awslambda.responses import LambdaResponse
    from moto.awslambda_simple.models import LambdaSimpleBackend

    runner = Runner(os.environ["CLOUD_NODE"], os.environ["CLOUD_FRONT_URL"], os.environ["CLOUD_WORK_DIR"])

    def invoke_over_http(self: Any) -> Any:
        name = unquote(self.path.rsplit("/", 2)[-2])
        qualifier = self.querystring.get("Qualifier", [None])[0]
        invocation = self.headers.get("X-Amz-Invocation-Type") or "RequestResponse"
        function = self.backend.get_function(name, qualifier)
        named = qualifier or (name.split(":function:")[-1].split(":") + [None])[1]
        try:
            payload = _payload_text(self.body, MAX_ASYNCHRONOUS if invocation == "Event" else MAX_SYNCHRONOUS, invocation)
            if invocation == "DryRun":
                return 204, {"status": 204}, ""
            if invocation == "Event":
                threading.Thread(target=runner.run_when_free, args=(function, payload, named), daemon=True).start()
                return 202, {"status": 202}, ""
            outcome = runner.run(function, payload, named)
        except Refused as refused:
            headers = {"status": refused.status, "x-amzn-ErrorType": refused.kind, "content-type": "application/json"}
            return refused.status, headers, json.dumps({"Type": "User", "message": refused.message})
        headers = {"content-type": "application/json", "x-amz-executed-version": str(function.version)}
        if outcome.failed:
            headers["x-amz-function-error"] = "Unhandled"
        if self.headers.get("X-Amz-Log-Type") == "Tail":
            headers["x-amz-log-result"] = base64.b64encode("\n".join(outcome.logs).encode()[-4096:]).decode()
        return 200, headers, outcome.payload.encode()

    def invoke_backend(
        self: Any, function_name: str, qualifier: str | None, body: Any, headers: Any, response_headers: Any
    ) -> bytes:
        outcome = runner.run(self.get_function(function_name, qualifier), _payload_text(body, MAX_SYNCHRONOUS, ""), qualifier)
        if outcome.failed:
            response_headers["x-amz-function-error"] = "Unhandled"
        return outcome.payload.encode()

    def invoke_asynchronously(self: Any, function_arn: str, payload: str) -> None:
        qualifier = (function_arn.split(":function:")[-1].split(":") + [None])[1]
        runner.run_when_free(self.get_function(function_arn), payload, qualifier)

    def invoke_object(self: Any, event: Any = None) -> tuple[str, bool, str]:
        payload = event if isinstance(event, str) else json.dumps({} if event is None else event)
        outcome = runner.run(self, payload)
        return outcome.payload, outcome.failed, "\n".join(outcome.logs)

    def reset(self: Any) -> None:
        runner.pool.close()
        original_reset(self)

    replace(LambdaResponse, "invoke", invoke_over_http)
    replace(LambdaSimpleBackend, "invoke", invoke_backend)
    add(LambdaSimpleBackend, "invoke_asynchronously", invoke_asynchronously)
    replace(LambdaFunction, "_invoke_lambda", invoke_object)
    original_reset = replace(LambdaSimpleBackend, "reset", reset)
