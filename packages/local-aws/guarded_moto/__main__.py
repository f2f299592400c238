"""Starts moto with our repairs on a free port of 127.0.0.1: `python -m guarded_moto`.

Exits with code 3 and a message if a repair does not fit the installed moto. Environment:

    CLOUD_NODE             the Node.js that runs functions
    CLOUD_FRONT_URL        the AWS endpoint for functions: the front, not moto
    CLOUD_WORK_DIR         the folder in which the code of functions is unpacked
    CLOUD_READY_FILE       file to write moto's port to when moto serves
    CLOUD_WITHOUT_REPAIRS  names of repairs to skip, comma-separated, to see how moto behaves without them
    CLOUD_SHORT_CALLS      {"function": seconds}: upper limits for function timeouts
    CLOUD_INIT_SECONDS     how long a function may take to load (default: 30)
    CLOUD_LONGEST_WAIT     upper limit for the Wait states of state machines, in seconds; empty means no limit
"""

import gc
import logging
import os
import sys

REPAIR_DOES_NOT_FIT = 3

# moto reads these when it is imported.
os.environ.setdefault("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")  # otherwise attaching an AWS managed policy returns 404
os.environ.setdefault("MOTO_ACM_VALIDATION_WAIT", "1")  # seconds until a certificate is issued
os.environ.setdefault("MOTO_PORT", "0")  # set to the real port below; the state machine interpreter reads it


def main() -> None:
    # Imported code is never freed, so collecting garbage during the import would only take a third of the start.
    gc.disable()
    # First, because other repairs import parts of moto that read models.
    from . import repairs_models  # isort: skip

    from . import (
        repairs_absent,
        repairs_api_reach,
        repairs_async,
        repairs_backups,
        repairs_bedrock,
        repairs_capacity,
        repairs_delivery,
        repairs_lambda,
        repairs_queues,
        repairs_quotas,
        repairs_roles,
        repairs_speed,
        repairs_states,
        repairs_tables,
        repairs_terraform,
        repairs_threads,
        waits,
    )
    from .patching import RepairError, apply_all

    try:
        without = frozenset(name for name in os.environ.get("CLOUD_WITHOUT_REPAIRS", "").split(",") if name)
        apply_all(without)
        if longest_wait := os.environ.get("CLOUD_LONGEST_WAIT"):
            waits.cut(float(longest_wait))
    except RepairError as error:
        print(error, file=sys.stderr)
        sys.exit(REPAIR_DOES_NOT_FIT)
    serve()


def serve() -> None:
    from moto.core.config import default_user_config
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    from . import guard_server, keep_alive

    # These settings have no environment variables.
    default_user_config["lambda"] = {"use_docker": False}
    default_user_config["batch"] = {"use_docker": False}
    default_user_config["stepfunctions"] = {"execute_state_machine": True}

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # no log line per request
    moto = DomainDispatcherApplication(create_backend_app)
    moto.debug = True
    application = guard_server.guarded(moto)
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=keep_alive.RequestHandler)
    server.daemon_threads = True
    gc.freeze()
    # Stored data is kept as well: scanning all of it at Python's default rate takes a quarter of a table scan.
    gc.set_threshold(100_000, 20, 20)
    gc.enable()
    os.environ["MOTO_PORT"] = str(server.port)
    tell_ready(server.port)
    server.serve_forever()


def tell_ready(port: int) -> None:
    file = os.environ["CLOUD_READY_FILE"]
    with open(f"{file}.part", "w") as out:
        out.write(str(port))
    os.rename(f"{file}.part", file)


if __name__ == "__main__":
    main()
