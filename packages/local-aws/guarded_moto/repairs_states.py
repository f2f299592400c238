"""Repairs for Step Functions: operations that Terraform calls, and the parts of a Distributed Map that we use."""

import json
import threading
from typing import Any

from .patching import add, repair, replace

MAP = "moto.stepfunctions.parser.asl.component.state.exec.state_map"
# The credentials of the task that the thread runs.
task_credentials = threading.local()
AWS_SDK_NAMES = {"s3": "S3", "sns": "Sns", "sqs": "Sqs", "ssm": "Ssm", "sagemaker": "SageMaker", "lambda": "Lambda"}


@repair
def sfn_validate() -> None:
    """The provider calls ValidateStateMachineDefinition in every plan, and moto returns a 500."""
    from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
    from moto.stepfunctions.responses import StepFunctionResponse

    def validate_state_machine_definition(self: Any) -> str:
        try:
            AmazonStateLanguageParser.parse(self._get_param("definition"))
        except Exception as error:  # any parser error means an invalid definition
            problem = {"severity": "ERROR", "code": type(error).__name__, "message": str(error)[:2000]}
            return json.dumps({"result": "FAIL", "diagnostics": [problem], "truncated": False})
        return json.dumps({"result": "OK", "diagnostics": [], "truncated": False})

    add(StepFunctionResponse, "validate_state_machine_definition", validate_state_machine_definition)


@repair
def sfn_versions() -> None:
    """The provider calls ListStateMachineVersions after each create and refresh, and moto returns a 500."""
    from moto.core.responses import ActionResult
    from moto.stepfunctions.responses import StepFunctionResponse

    def list_state_machine_versions(self: Any) -> Any:
        machine = self.stepfunction_backend.describe_state_machine(self._get_param("stateMachineArn"))
        versions = [machine.versions[number] for number in sorted(machine.versions, reverse=True)]
        found = [{"stateMachineVersionArn": one.arn, "creationDate": one.creation_date} for one in versions]
        return ActionResult({"stateMachineVersions": found})

    add(StepFunctionResponse, "list_state_machine_versions", list_state_machine_versions)


@repair
def sfn_clients() -> None:
    """moto creates a boto3 client for each task call, which takes longer than the call itself, and uses `localhost`."""
    from moto.stepfunctions.parser.asl.utils import boto_client

    class CachedClients:
        def __init__(self, boto3: Any):
            self._boto3, self._clients, self._lock = boto3, {}, threading.Lock()

        def client(self, **arguments: Any) -> Any:
            arguments["endpoint_url"] = arguments["endpoint_url"].replace("localhost", "127.0.0.1")
            arguments.update(getattr(task_credentials, "keys", {}))
            names = ("service_name", "region_name", "endpoint_url", "aws_access_key_id")
            key = tuple(arguments[name] for name in names)
            with self._lock:  # creating a client is not thread-safe, using one is
                if key not in self._clients:
                    self._clients[key] = self._boto3.client(**arguments)
                return self._clients[key]

    replace(boto_client, "boto3", CachedClients(boto_client.boto3))


@repair
def sfn_json_paths() -> None:
    """moto generates the tables of a JSONPath parser for every path that it evaluates: over a quarter of its time in a training."""
    from functools import lru_cache

    from moto.stepfunctions.parser.asl.component.common.path import result_path
    from moto.stepfunctions.parser.asl.utils import json_path

    for module in (json_path, result_path):
        replace(module, "parse", lru_cache(maxsize=1_000)(module.parse))


@repair
def sfn_execution_name() -> None:
    """`$$.Execution.Name` is null if the execution was started without a name. AWS generates one."""
    from uuid import uuid4

    from moto.stepfunctions.parser.models import StepFunctionsParserBackend

    def start_execution(self: Any, state_machine_arn: str, name: str | None = None, *rest: Any, **named: Any) -> Any:
        return original(self, state_machine_arn, name or str(uuid4()), *rest, **named)

    original = replace(StepFunctionsParserBackend, "start_execution", start_execution)


@repair
def sfn_error_names() -> None:
    """moto names errors of AWS SDK tasks `ssm.X` instead of `Ssm.X`, so a Catch by name misses them."""
    from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_aws_sdk as sdk

    names = replace(sdk, "_SERVICE_ERROR_NAMES", None)
    sdk._SERVICE_ERROR_NAMES = {**AWS_SDK_NAMES, **names}


@repair
def sfn_distributed_map() -> None:
    """moto's parser lacks ItemBatcher and rejects an integer percentage, and moto ignores failed items."""
    from importlib import import_module

    from moto.stepfunctions.parser.api import HistoryEventType
    from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent, FailureEventException
    from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
    from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
    from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
    from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser as Parser

    component = import_module(f"{MAP}.iteration.distributed_iteration_component").DistributedIterationComponent
    state_map = import_module(f"{MAP}.state_map").StateMap
    parsing = threading.local()

    def parse(definition: str) -> Any:
        text, batchers = _without_batchers(definition)
        outer = getattr(parsing, "batchers", {})
        parsing.batchers = {**outer, **batchers}
        try:
            return original_parse(text)
        finally:
            parsing.batchers = outer

    def from_state_props(self: Any, state_props: Any) -> None:
        original_props(self, state_props)
        batcher = getattr(parsing, "batchers", {}).get(self.name)
        if batcher:
            self.iteration_component.item_batcher = batcher
            if "BatchInput" in batcher:
                self.iteration_component.batch_input = _template(original_parse, batcher["BatchInput"])

    def map_run(self: Any, env: Any, eval_input: Any) -> None:
        batcher = getattr(self, "item_batcher", None)
        if batcher:
            items = env.stack.pop()
            extra = {}
            if hasattr(self, "batch_input"):
                self.batch_input.eval(env=env)
                extra = {"BatchInput": env.stack.pop()}
            env.stack.append([{**extra, "Items": batch} for batch in _batches(items, batcher)])
        items_total = len(env.stack[-1])
        original_run(self, env, eval_input)
        counter = eval_input.map_run_record.item_counter
        failed = counter.failed.get() + counter.timed_out.get() + counter.aborted.get()
        if not failed:
            return
        if _exceeded(failed, items_total, eval_input.tolerated_failure_count, eval_input.tolerated_failure_percentage):
            raise exceeded(env, f"The specified tolerated failure threshold was exceeded: {failed} of {items_total} failed")
        # The Map's result contains only the outputs of successful items.
        env.stack.append([output for output in env.stack.pop() if output is not None])

    def exceeded(env: Any, cause: str) -> Exception:
        name = StatesErrorName(typ=StatesErrorNameType.StatesExceedToleratedFailureThreshold)
        details = {"error": name.error_name, "cause": cause}
        event = FailureEvent(
            env=env,
            error_name=name,
            event_type=HistoryEventType.TaskFailed,
            event_details=EventDetails(taskFailedEventDetails=details),
        )
        return FailureEventException(failure_event=event)

    original_parse = replace(Parser, "parse", staticmethod(parse))
    original_props = replace(state_map, "from_state_props", from_state_props)
    original_run = replace(component, "_map_run", map_run)


def _without_batchers(definition: str) -> tuple[str, dict[str, Any]]:
    """Returns a definition that moto's parser accepts, and each Map's ItemBatcher by its state's (unique) name."""
    try:
        document = json.loads(definition)
    except ValueError:
        return definition, {}
    batchers: dict[str, Any] = {}

    def walk(machine: Any) -> None:
        for name, state in (machine.get("States") or {}).items():
            if "ItemBatcher" in state:
                batchers[name] = state.pop("ItemBatcher")
            if isinstance(state.get("ToleratedFailurePercentage"), int):
                state["ToleratedFailurePercentage"] = float(state["ToleratedFailurePercentage"])
            for inner in (state.get("ItemProcessor"), state.get("Iterator"), *(state.get("Branches") or [])):
                if inner:
                    walk(inner)

    try:
        walk(document)
    except (AttributeError, TypeError):
        return definition, {}  # not shaped like a state machine: the parser reports the problem
    return json.dumps(document), batchers


def _template(parse: Any, value: Any) -> Any:
    """Parses a payload template for later evaluation, as the Parameters of a Pass state, which are such a template."""
    machine = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Parameters": value, "End": True}}}
    program, _ = parse(json.dumps(machine))
    return program.states.states["P"].parameters


def _batches(items: list[Any], batcher: dict[str, Any]) -> list[list[Any]]:
    most = batcher.get("MaxItemsPerBatch") or len(items) or 1
    most_bytes = batcher.get("MaxInputBytesPerBatch") or 262_144
    batches: list[list[Any]] = []
    size = 0
    for item in items:
        bytes_of_item = len(json.dumps(item))
        if not batches or len(batches[-1]) >= most or size + bytes_of_item > most_bytes:
            batches.append([])
            size = 0
        batches[-1].append(item)
        size += bytes_of_item
    return batches


def _exceeded(failed: int, total: int, count: int, percentage: float) -> bool:
    if not count and not percentage:
        return True
    return bool(count and failed > count) or bool(percentage and 100 * failed / total > percentage)
