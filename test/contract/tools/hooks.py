"""What schemathesis cannot know from the documents of both services."""

import json
import os
import re

import schemathesis

INDEX = os.environ["INDEX"]

MAX_INDEX_EXPRESSION = 1024

TIME = re.compile(r"\d{4}-\d\d-\d\dT")

LEGAL_INDEX = re.compile(r"[a-z0-9][a-z0-9_-]*")


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """
    Leaves out the greatest length of an expression for indexes, for which the unit tests have their own: a text of 1,024
    characters that fits its pattern takes a second to draw, in each of a thousand cases.
    """
    if isinstance(raw_schema, dict):
        if "pattern" in raw_schema and raw_schema.get("maxLength") == MAX_INDEX_EXPRESSION:
            del raw_schema["maxLength"]
        # Which factors go together a schema cannot say; test/build/openapi-requests.test.ts plays them.
        if isinstance(raw_schema.get("properties"), dict):
            raw_schema["properties"].pop("boost", None)
        for value in raw_schema.values():
            before_load_schema(context, value)
    elif isinstance(raw_schema, list):
        for value in raw_schema:
            before_load_schema(context, value)


@schemathesis.hook
def before_call(context, case, kwargs):
    """
    Keeps requests to the test's own indexes, because other tests share the cluster. Omits weights, which sum to 1, and
    replaces z_score, which the cluster's version may lack, and times of events, which the service compares with its clock. Does not delete the only item. Numbers the ids of long bulk requests: thousands of operations
    on one id, as they are generated, are written one after another.
    """
    if "proxy" in case.path_parameters:
        case.path_parameters["proxy"] = f"{INDEX}-raw"
    body = case.body
    if not isinstance(body, dict):
        return
    if isinstance(body.get("index"), str) and LEGAL_INDEX.fullmatch(body["index"]):
        body["index"] = INDEX
    # Only this index has fields for the tokens of the example.
    if "[description" in json.dumps(body.get("search_request_template")):
        body["index"] = INDEX
    operations = body.get("bulk_request")
    if isinstance(operations, list) and len(operations) > 100:
        for number, operation in enumerate(operations):
            if isinstance(operation, dict) and operation.get("id") == "0":
                operation["id"] = str(number)
    if case.operation.path == "/delete-items" and isinstance(body.get("item_ids"), list):
        body["item_ids"] = ["absent" if one == "B1" else one for one in body["item_ids"]]
    events = body.get("events")
    for event in events if isinstance(events, list) else []:
        if isinstance(event, dict) and isinstance(event.get("timestamp"), str) and TIME.match(event["timestamp"]):
            event["timestamp"] = "2026-01-01T00:00:00Z"
    settings = body.get("settings")
    if isinstance(settings, dict) and is_numbers(settings.get("weights")):
        settings["weights"] = None
    if isinstance(settings, dict) and settings.get("normalization") == "z_score":
        settings["normalization"] = "l2"


def is_numbers(value):
    return isinstance(value, list) and all(type(one) in (int, float) for one in value)


@schemathesis.check
def native_faults_are_the_clusters(context, response, case):
    """A 5xx of the raw backend has the cluster's shape; the gateway's own errors have a code."""
    if "raw-backend" in case.operation.path and response.status_code >= 500:
        error = response.json()["error"]
        assert "code" not in error, f"{response.status_code} {error}"
