"""Cuts the waits of state machines, for tests that must not wait for a clock that is AWS's."""

from typing import Any

from patching import replace


def cut(longest: float) -> None:
    """No Wait state waits longer than `longest` seconds. What is polled is then looked at more often, nothing else."""
    from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction

    def wait_interval(self: Any, env: Any, wait_seconds: float) -> None:
        if min(wait_seconds, longest) > 0:
            env.program_state_event.wait(min(wait_seconds, longest))

    replace(WaitFunction, "_wait_interval", wait_interval)
