"""Repeats failed asynchronous invocations and sends what failed to a queue, as Lambda does, but without its minutes of waiting."""

import json
import sys
import time
from datetime import datetime, timezone
from typing import Any, Callable
from urllib.parse import unquote
from uuid import uuid4

from .guard import Denied
from .guard_principals import CannotAssume
from .guard_resources import Need
from .guard_roles import require_of_role
from .patching import repair, replace

# AWS waits one minute before the second attempt and two before the third.
RETRY_SECONDS = 0.2

# By backend, function and qualifier; $LATEST without one.
_configurations: dict[tuple[int, str, str], Any] = {}


@repair
def lambda_event_invoke_configurations() -> None:
    """moto has one configuration for all aliases of a function, and never checks the destination."""
    from moto.awslambda.exceptions import InvalidParameterValueException, UnknownEventConfig
    from moto.awslambda.models import EventInvokeConfig
    from moto.awslambda.responses import LambdaResponse
    from moto.core.responses import ActionResult

    def place(self: Any) -> tuple[Any, tuple[int, str, str]]:
        name = unquote(self.path.rsplit("/", 2)[1])
        qualifier = self.querystring.get("Qualifier", ["$LATEST"])[0]
        function = self.backend.get_function(name, None if qualifier == "$LATEST" else qualifier)
        return function, (id(self.backend), function.function_name, qualifier)

    def put(self: Any) -> Any:
        function, key = place(self)
        destinations = self.json_body.get("DestinationConfig") or {}
        for one in ("OnSuccess", "OnFailure"):
            arn = (destinations.get(one) or {}).get("Destination")
            if arn:
                check(function, one, arn)
        arn = f"{function.function_arn.split(':function:')[0]}:function:{key[1]}:{key[2]}"
        _configurations[key] = EventInvokeConfig(arn, function.last_modified, self.json_body)
        return ActionResult(_configurations[key].response())

    def check(function: Any, kind: str, arn: str) -> None:
        if kind != "OnFailure" or ":sqs:" not in arn:
            raise InvalidParameterValueException("the local cloud knows queues as destinations of failed events, no others")
        try:
            require_of_role(function.role, "lambda", Need("sqs:SendMessage", arn))
        except (Denied, CannotAssume) as error:
            message = f"The function's execution role does not have permissions to call SendMessage on {arn}"
            raise InvalidParameterValueException(message) from error

    def get(self: Any) -> Any:
        function, key = place(self)
        if key not in _configurations:
            raise UnknownEventConfig(function.function_arn)
        return ActionResult(_configurations[key].response())

    def delete(self: Any) -> Any:
        function, key = place(self)
        if _configurations.pop(key, None) is None:
            raise UnknownEventConfig(function.function_arn)
        return 204, {"status": 204}, ""

    replace(LambdaResponse, "put_function_event_invoke_config", put)
    replace(LambdaResponse, "update_function_event_invoke_config", put)
    replace(LambdaResponse, "get_function_event_invoke_config", get)
    replace(LambdaResponse, "delete_function_event_invoke_config", delete)


def complete(backend: Any, function: Any, qualifier: str | None, payload: str, attempt: Callable[[], Any]) -> None:
    """
    Runs an asynchronous event by `attempt`, which returns an Outcome. Runs a failed event again twice, or as often as a
    configuration of the alias says, then sends it to the queue that the configuration may name, with its last answer.
    """
    outcome = attempt()
    found = _configurations.get((id(backend), function.function_name, qualifier or "$LATEST"))
    config = found.config if found else {}
    attempts = 1 + config.get("MaximumRetryAttempts", 2)
    for _ in range(1, attempts):
        if not outcome.failed:
            return
        time.sleep(RETRY_SECONDS)
        outcome = attempt()
    queue = ((config.get("DestinationConfig") or {}).get("OnFailure") or {}).get("Destination")
    if outcome.failed and queue:
        _send(backend, function, queue, _record(found.arn, attempts, payload, outcome))


def _record(arn: str, attempts: int, payload: str, outcome: Any) -> dict[str, Any]:
    """Source: Lambda Developer Guide, "Capturing records of Lambda asynchronous invocations"."""
    return {
        "version": "1.0",
        "timestamp": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "requestContext": {
            "requestId": str(uuid4()),
            "functionArn": arn,
            "condition": "RetriesExhausted",
            "approximateInvokeCount": attempts,
        },
        "requestPayload": json.loads(payload),
        "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
        "responsePayload": json.loads(outcome.payload),
    }


def _send(backend: Any, function: Any, queue: str, record: dict[str, Any]) -> None:
    from moto.sqs.models import sqs_backends

    try:
        require_of_role(function.role, "lambda", Need("sqs:SendMessage", queue))
        sqs_backends[backend.account_id][backend.region_name].send_message(queue.split(":")[-1], json.dumps(record))
    except Exception as error:  # AWS counts it as DestinationDeliveryFailures
        print(f"a failed event of {function.function_name} did not reach {queue}: {error!r}", file=sys.stderr)
