"""Returns the service's own error for a missing resource, where moto returns an HTML page with status 500.

An SDK cannot read that page, and Terraform retries the status and then gives up. So a half-removed API could neither
be planned nor removed.
"""

import json
import re
from typing import Any, Iterator
from urllib.parse import unquote

from .patching import repair, replace

# Each service has its own error name: ResourceNotFoundException, NoSuchEntity, StateMachineDoesNotExist.
_ABSENT = re.compile("NotFound|NoSuch|DoesNotExist")


@repair
def absent_resources() -> None:
    """moto looks up many resources with `dict[id]`, so a missing one causes a KeyError and a 500."""
    from moto.core.exceptions import ServiceException
    from moto.core.responses import ActionResult, BaseResponse

    class Absent(ServiceException):
        """Defined here on purpose: moto looks up an exception's code in the service that the class's module belongs to."""

    def call_action(self: Any) -> Any:
        try:
            return original(self)
        except KeyError as error:
            code = _declared_error(self)
            if code is None or error.args[0] not in _requested(self):
                raise
            return self.serialized(ActionResult(Absent(code, f"{error.args[0]} does not exist")))

    original = replace(BaseResponse, "call_action", call_action)


@repair
def api_gateway_absent_status() -> None:
    """Some of API Gateway's NotFoundExceptions have status 400 in moto."""
    from moto.apigateway.exceptions import NotFoundException

    replace(NotFoundException, "code", 404)


def _declared_error(response: Any) -> str | None:
    """Returns the error that the operation declares for a missing resource, or None if it declares none."""
    from moto.core.utils import get_service_model

    operation = get_service_model(response.boto3_service_name).operation_model(response._get_action())
    return next((shape.name for shape in operation.error_shapes if _ABSENT.search(shape.name)), None)


def _requested(response: Any) -> set[str]:
    """Returns every string in the request's path, query and body. Any other missing key is a bug in moto: a 500."""
    path = {unquote(segment) for segment in response.path.split("/")}
    return path | set(_texts(response.data)) | set(_texts(_json(response.body)))


def _json(body: Any) -> Any:
    try:
        return json.loads(body)
    except (TypeError, ValueError):
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _texts(member)
