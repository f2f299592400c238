"""Repairs for log subscriptions and Firehose: what is delivered, where and when."""

import base64
import gzip
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

from .filter_pattern import UnsupportedPattern, compile_pattern
from .firehose_names import object_body, object_key
from .patching import repair, replace

# Seconds by delivery stream name, set by `guard_server`.
firehose_delays: dict[str, float] = {}


@repair
def logs_subscriptions() -> None:
    """moto ignores filter patterns, delivers to $LATEST instead of an alias, and delivers during the request."""
    from moto.awslambda.models import LambdaBackend
    from moto.logs.models import LogStream

    # AWS delivers after PutLogEvents has returned. Writing a function's log must not wait for the subscribed function.
    deliveries = ThreadPoolExecutor(max_workers=4, thread_name_prefix="log-delivery")

    def send_log_events(
        self: Any, service: str, destination_arn: str, filter_name: str, log_events: list[dict[str, Any]]
    ) -> None:
        matches = compile_pattern(self.log_group.subscription_filters[filter_name].filter_pattern)
        # AWS sends the ID as a string of this length.
        wanted = [{**event, "id": f"{event['id']:056d}"} for event in log_events if matches(event["message"])]
        if wanted:
            deliveries.submit(deliver, self, service, destination_arn, filter_name, wanted)

    def deliver(self: Any, service: str, destination_arn: str, *rest: Any) -> None:
        try:
            original(self, service, destination_arn, *rest)
        except Exception as error:  # no caller waits for the delivery; AWS would count a failed delivery
            print(f"log delivery to {destination_arn} failed: {error!r}", file=sys.stderr)

    def send_log_event(
        self: Any, function_arn: str, filter_name: str, log_group: str, log_stream: str, log_events: list[dict[str, Any]]
    ) -> None:
        envelope = {
            "messageType": "DATA_MESSAGE",
            "owner": self.account_id,
            "logGroup": log_group,
            "logStream": log_stream,
            "subscriptionFilters": [filter_name],
            "logEvents": log_events,
        }
        data = base64.b64encode(gzip.compress(json.dumps(envelope).encode())).decode()
        self.invoke_asynchronously(function_arn, json.dumps({"awslogs": {"data": data}}))

    original = replace(LogStream, "_send_log_events", send_log_events)
    replace(LambdaBackend, "send_log_event", send_log_event)


@repair
def logs_filter_patterns() -> None:
    """moto accepts and ignores invalid patterns, and cannot change a filter once its log group has two."""
    from moto.logs import models
    from moto.logs.exceptions import InvalidParameterException
    from moto.logs.models import LogGroup

    class EventMessageFilter:
        def __init__(self, pattern: str):
            self.matches = compiled(pattern)

    def compiled(pattern: str) -> Any:
        try:
            return compile_pattern(pattern)
        except UnsupportedPattern as error:
            raise InvalidParameterException(str(error)) from error

    def put_subscription_filter(self: Any, filter_name: str, filter_pattern: str, *rest: Any) -> None:
        compiled(filter_pattern)
        existing = self.subscription_filters.get(filter_name)
        if existing:
            existing.update(filter_pattern, *rest)
        else:
            original(self, filter_name, filter_pattern, *rest)

    original = replace(LogGroup, "put_subscription_filter", put_subscription_filter)
    replace(models, "EventMessageFilter", EventMessageFilter)


@repair
def firehose_s3() -> None:
    """moto ignores CompressionFormat and prefix expressions, adds a slash to the prefix, and cannot buffer records."""
    from moto.core.utils import utcnow
    from moto.firehose.models import FirehoseBackend
    from moto.s3.models import s3_backends

    buffers: dict[tuple[int, str], list[bytes]] = {}
    lock = threading.Lock()

    def put_s3_records(
        self: Any, delivery_stream_name: str, version_id: str, s3_destination: dict[str, Any], records: list[dict[str, bytes]]
    ) -> list[dict[str, str]]:
        data = [record["Data"] for record in records]
        delay = firehose_delays.get(delivery_stream_name, 0)
        if delay <= 0:
            write(self, delivery_stream_name, version_id, s3_destination, data)
        else:
            hold(self, delivery_stream_name, version_id, s3_destination, data, delay)
        return [{"RecordId": str(uuid4())} for _ in records]

    def hold(self: Any, stream: str, version: str, destination: dict[str, Any], data: list[bytes], delay: float) -> None:
        key = (id(self), stream)
        with lock:
            started = key in buffers
            buffers.setdefault(key, []).extend(data)
        if not started:
            timer = threading.Timer(delay, flush, (self, key, stream, version, destination))
            timer.daemon = True
            timer.start()

    def flush(self: Any, key: tuple[int, str], stream: str, version: str, destination: dict[str, Any]) -> None:
        with lock:
            data = buffers.pop(key, [])
        try:
            write(self, stream, version, destination, data)
        except Exception as error:  # for example a bucket that was deleted meanwhile
            print(f"the delivery of {stream} failed: {error!r}", file=sys.stderr)

    def write(self: Any, stream: str, version: str, destination: dict[str, Any], data: list[bytes]) -> None:
        bucket = destination["BucketARN"].split(":")[-1]
        key = object_key(stream, version, destination, utcnow())
        s3_backends[self.account_id][self.partition].put_object(bucket, key, object_body(data, destination))

    replace(FirehoseBackend, "put_s3_records", put_s3_records)
