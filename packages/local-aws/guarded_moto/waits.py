"""Shortens the waits of state machines, so that tests need not wait as long as AWS would."""

from typing import Any

from .patching import replace


def cut(longest: float) -> None:
    """Limits every Wait state to `longest` seconds. The only effect is that polling loops poll more often."""
    from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import WaitFunction

    def wait_interval(self: Any, env: Any, wait_seconds: float) -> None:
        if min(wait_seconds, longest) > 0:
            env.program_state_event.wait(min(wait_seconds, longest))

    replace(WaitFunction, "_wait_interval", wait_interval)
