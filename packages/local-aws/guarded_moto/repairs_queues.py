"""Polls queues that are event sources of functions, as Lambda does."""

import json
import sys
import threading
import time
from typing import Any

from .patching import repair, replace

POLL_SECONDS = 0.2


@repair
def sqs_event_source() -> None:
    """moto invokes during SendMessage, one message per call, ignores aliases and partial failures, never retries."""
    from moto.awslambda.models import LambdaBackend

    def create_event_source_mapping(self: Any, spec: dict[str, Any]) -> Any:
        mapping = original_create(self, spec)
        queue = _queue_of(self, mapping)
        if queue is not None:
            queue.lambda_event_source_mappings.pop(mapping.function_arn, None)
            mapping.function_arn = qualified_arn(self, mapping.function_name)
            threading.Thread(target=_poll, args=(self, mapping), daemon=True).start()
        return mapping

    def update_event_source_mapping(self: Any, uuid: str, spec: dict[str, Any]) -> Any:
        mapping = original_update(self, uuid, spec)
        if mapping and "FunctionName" in spec:
            mapping.function_name = spec["FunctionName"]
            mapping.function_arn = qualified_arn(self, mapping.function_name)
        return mapping

    def qualified_arn(backend: Any, name_or_arn: str) -> str:
        # moto returns the version's ARN instead of the alias's, so the provider plans to change it back.
        function = backend.get_function(name_or_arn)
        prefix = function.function_arn.split(":function:")[0]
        qualifier = name_or_arn.split(":function:")[-1].split(":")[1:]
        return ":".join([f"{prefix}:function:{function.function_name}", *qualifier])

    original_create = replace(LambdaBackend, "create_event_source_mapping", create_event_source_mapping)
    original_update = replace(LambdaBackend, "update_event_source_mapping", update_event_source_mapping)


@repair
def sqs_retention() -> None:
    """moto computes every attribute of a queue, which counts all its messages, for each message that it may return."""
    from moto.core.utils import unix_time
    from moto.sqs.models import SQSBackend

    def is_kept(self: Any, queue_name: str, message: Any) -> bool:
        return self.get_queue(queue_name).message_retention_period + message.sent_timestamp / 1000 > unix_time()

    replace(SQSBackend, "is_message_valid_based_on_retention_period", is_kept)


def _queue_of(backend: Any, mapping: Any) -> Any:
    from moto.sqs.models import sqs_backends

    # A copy, because other threads create queues meanwhile.
    queues = list(sqs_backends[backend.account_id][backend.region_name].queues.values())
    return next((queue for queue in queues if queue.queue_arn == mapping.event_source_arn), None)


def _poll(backend: Any, mapping: Any) -> None:
    # Handles one batch at a time. Ends when the mapping or the queue is deleted; a reset of moto deletes both.
    while backend.get_event_source_mapping(mapping.uuid) is mapping and _queue_of(backend, mapping) is not None:
        try:
            if not mapping.enabled or not _serve_batch(backend, mapping):
                time.sleep(POLL_SECONDS)
        except Exception as error:  # as in AWS, the messages reappear after the visibility timeout
            print(f"polling {mapping.event_source_arn} for {mapping.function_name} failed: {error!r}", file=sys.stderr)
            time.sleep(POLL_SECONDS)


def _serve_batch(backend: Any, mapping: Any) -> bool:
    from moto.sqs.models import sqs_backends

    queue = _queue_of(backend, mapping)
    if queue is None or not queue.messages:
        return False
    if mapping.max_batch_window:
        time.sleep(float(mapping.max_batch_window))
    sqs = sqs_backends[backend.account_id][backend.region_name]
    messages = sqs.receive_message(queue.name, mapping.batch_size, 0, int(queue.visibility_timeout), ["All"])
    if not messages:
        return False
    event = {"Records": [_record(message, queue, backend.region_name) for message in messages]}
    headers: dict[str, str] = {}
    answer = backend.invoke(mapping.function_name, None, json.dumps(event), {}, headers)
    if "x-amz-function-error" in headers:
        return True
    failed = _failed_ids(answer, mapping, {message.id for message in messages})
    for message in messages:
        if message.id not in failed:
            sqs.delete_message(queue.name, message.receipt_handle)
    return True


def _failed_ids(answer: bytes, mapping: Any, sent: set[str]) -> set[str]:
    """Returns the messages that the function reports as failed. As in AWS, an invalid report fails all of them."""
    if "ReportBatchItemFailures" not in (mapping.function_response_types or []):
        return set()
    report = json.loads(answer)
    if report is None or not report.get("batchItemFailures"):
        return set()
    failed = {failure.get("itemIdentifier") for failure in report["batchItemFailures"]}
    return failed if failed <= sent else sent


def _record(message: Any, queue: Any, region: str) -> dict[str, Any]:
    attributes = {
        "ApproximateReceiveCount": str(message.approximate_receive_count),
        "SentTimestamp": str(int(message.sent_timestamp)),
        "SenderId": message.sender_id,
        "ApproximateFirstReceiveTimestamp": str(int(message.approximate_first_receive_timestamp)),
    }
    if queue.fifo_queue:
        attributes |= {"MessageGroupId": message.group_id, "MessageDeduplicationId": message.deduplication_id}
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt_handle,
        "body": message.body,
        "attributes": attributes,
        "messageAttributes": {name: _attribute(value) for name, value in message.message_attributes.items()},
        "md5OfBody": message.body_md5,
        "eventSource": "aws:sqs",
        "eventSourceARN": queue.queue_arn,
        "awsRegion": region,
    }


def _attribute(value: dict[str, Any]) -> dict[str, Any]:
    kind = value.get("data_type", "String")
    name = "binaryValue" if kind.startswith("Binary") else "stringValue"
    return {name: value.get("binary_value" if name == "binaryValue" else "string_value"), "dataType": kind}
