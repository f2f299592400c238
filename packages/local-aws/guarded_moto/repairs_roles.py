"""Makes moto use the configured roles where it calls other services by itself."""

import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from .guard import Denied, require
from .guard_principals import CannotAssume, open_session, service_caller
from .guard_resources import Need
from .guard_roles import require_of_role
from .patching import repair, replace
from .repairs_states import task_credentials

STEPS = "moto.stepfunctions.parser.asl"


@repair
def sfn_roles() -> None:
    """moto calls services without a role. AWS runs each task with the role of its state machine."""
    from botocore.exceptions import ClientError

    original = import_module(f"{STEPS}.utils.boto_client").boto_client_for

    def boto_client_for(region: str, service: str, state_credentials: Any = None) -> Any:
        try:
            keys = open_session(state_credentials.role_arn, "states.amazonaws.com", "states")
        except CannotAssume as error:
            denial = {"Error": {"Code": "AccessDeniedException", "Message": str(error)}}
            raise ClientError({**denial, "ResponseMetadata": {"HTTPStatusCode": 400, "RequestId": "none"}}, "AssumeRole") from error
        task_credentials.keys = dict(zip(("aws_access_key_id", "aws_secret_access_key", "aws_session_token"), keys))
        return original(region, service, state_credentials)

    state = import_module(f"{STEPS}.component.state.exec")
    for found in walk_packages(state.__path__, f"{state.__name__}."):
        module = import_module(found.name)
        if getattr(module, "boto_client_for", None) is original:
            replace(module, "boto_client_for", boto_client_for)


@repair
def firehose_roles() -> None:
    """moto writes objects without a role. Firehose writes with the role of the destination."""
    from moto.firehose.models import FirehoseBackend

    def put_s3_records(self: Any, stream: str, version: str, destination: dict[str, Any], records: Any) -> Any:
        bucket, prefix = destination["BucketARN"], destination.get("Prefix", "").split("!")[0]
        need = Need("s3:PutObject", f"{bucket}/{prefix}object")
        try:
            require_of_role(destination["RoleARN"], "firehose", need, external_id=self.account_id)
        except (Denied, CannotAssume) as error:  # as in AWS, the caller gets no error
            print(f"the delivery of {stream} failed: {error}", file=sys.stderr)
            return [{"RecordId": "undelivered"} for _ in records]
        return original(self, stream, version, destination, records)

    original = replace(FirehoseBackend, "put_s3_records", put_s3_records)


@repair
def log_delivery_permissions() -> None:
    """moto calls subscribed functions without a check. CloudWatch Logs needs the permission of the function's policy.
    """
    from moto.awslambda.models import LambdaBackend

    def send_log_event(self: Any, function_arn: str, filter_name: str, log_group: str, *rest: Any) -> None:
        source = {"aws:sourcearn": (f"arn:aws:logs:{self.region_name}:{self.account_id}:log-group:{log_group}:*",)}
        caller = service_caller("logs.amazonaws.com", self.account_id, source)
        require(caller, Need("lambda:InvokeFunction", function_arn))
        original(self, function_arn, filter_name, log_group, *rest)

    original = replace(LambdaBackend, "send_log_event", send_log_event)


@repair
def queue_source_roles() -> None:
    """moto and our repairs read queues without a role. Lambda reads an event source with the role of the function."""
    from . import repairs_queues

    def serve_batch(backend: Any, mapping: Any) -> bool:
        function = backend.get_function(mapping.function_name.split(":function:")[-1].split(":")[0])
        needs = (Need(f"sqs:{action}", mapping.event_source_arn) for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"))
        require_of_role(function.role, "lambda", *needs)
        return original(backend, mapping)

    original = replace(repairs_queues, "_serve_batch", serve_batch)
