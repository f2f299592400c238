"""Runs Node.js functions in long-lived child processes, like Lambda's warm execution environments."""

import json
import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

BOOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sandbox-boot.mjs")
# Lambda's limit is 10 s. Loading is slower here because Terraform and OpenSearch share the machine's cores.
INIT_SECONDS = float(os.environ.get("CLOUD_INIT_SECONDS", "30"))
# Concurrent events per function version. Further events wait. Each child process takes 40 to 60 MB.
MAX_SANDBOXES = 10
IDLE_SECONDS = 300


@dataclass(frozen=True)
class Program:
    """Code and settings of a sandbox. Equal programs may share sandboxes. Any difference requires a new sandbox."""

    key: str
    root: str
    handler: str
    memory_mb: int
    environment: tuple[tuple[str, str], ...]


@dataclass
class Outcome:
    """How an invocation ended: the payload as JSON text, whether it is an error, and the lines it logged."""

    payload: str
    failed: bool
    logs: list[str] = field(default_factory=list)


class Sandbox:
    """One Node.js child process with the handler loaded."""

    def __init__(self, program: Program, node: str):
        self.program = program
        self.last_used = time.monotonic()
        self._node = node
        self._marker = secrets.token_hex(16)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._process: subprocess.Popen[bytes] | None = None

    def invoke(self, request_id: str, payload: str, arn: str, timeout: float) -> Outcome:
        """Runs one event. A sandbox that failed to load, timed out or exited is `dead` afterwards."""
        logs: list[str] = []
        if self._process is None:
            failed = self._start(request_id, logs)
            if failed is not None:
                return failed
        deadline = time.time() + timeout
        request = f'{{"id":{json.dumps(request_id)},"arn":{json.dumps(arn)},"deadline":{int(deadline * 1000)},"event":{payload}}}\n'
        try:
            self._process.stdin.write(request.encode())
            self._process.stdin.flush()
        except OSError:
            return self._exited(request_id, logs)
        answer = self._answer(deadline, logs)
        self.last_used = time.monotonic()
        if answer is TIMED_OUT:
            self.close()
            message = f"RequestId: {request_id} Error: Task timed out after {timeout:.2f} seconds"
            logs.append(f"{_now()} {request_id} Task timed out after {timeout:.2f} seconds")
            return _error("Sandbox.Timedout", message, logs)
        if answer is None:
            return self._exited(request_id, logs)
        if "error" in answer:
            logs.append(f"{_now()}\t{request_id}\tERROR\tInvoke Error\t{json.dumps(answer['error'])}")
            return Outcome(json.dumps(answer["error"]), True, logs)
        return Outcome(answer["result"], False, logs)

    @property
    def dead(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def close(self) -> None:
        """Kills the child process."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.kill()
        self._process.wait()

    def _start(self, request_id: str, logs: list[str]) -> Outcome | None:
        # Like Lambda, gives the heap about nine tenths of the function's memory.
        heap = f"--max-old-space-size={max(64, self.program.memory_mb * 9 // 10)}"
        self._process = subprocess.Popen(
            [self._node, heap, BOOT, self.program.root, self.program.handler, self._marker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.program.root,
            env=dict(self.program.environment),
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        answer = self._answer(time.time() + INIT_SECONDS, logs)
        if answer is TIMED_OUT:
            self.close()
            return _error("Sandbox.Timedout", f"RequestId: {request_id} Error: loading took over {INIT_SECONDS} seconds", logs)
        if answer is None:
            return self._exited(request_id, logs)
        if not answer.get("ready"):
            self.close()
            logs.append(f"{_now()}\tundefined\tERROR\tUncaught Exception\t{json.dumps(answer['error'])}")
            return Outcome(json.dumps(answer["error"]), True, logs)
        return None

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        for line in process.stdout:
            self._lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self._lines.put(None)

    def _answer(self, deadline: float, logs: list[str]) -> Any:
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.time()))
            except queue.Empty:
                return TIMED_OUT
            if line is None:
                return None
            if line.startswith(self._marker):
                return json.loads(line[len(self._marker) :])
            if line:
                logs.append(line)

    def _exited(self, request_id: str, logs: list[str]) -> Outcome:
        code = self._process.wait()
        reason = f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return _error("Runtime.ExitError", f"RequestId: {request_id} Error: Runtime exited with error: {reason}", logs)


class Pool:
    """Keeps sandboxes warm and runs each event in a sandbox that no other event uses at that time."""

    def __init__(self, node: str):
        self._node = node
        self._idle: defaultdict[str, list[Sandbox]] = defaultdict(list)
        self._busy: set[Sandbox] = set()
        self._slots: defaultdict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(MAX_SANDBOXES))
        self._lock = threading.Lock()
        threading.Thread(target=self._sweep, daemon=True).start()

    def run(self, program: Program, request_id: str, payload: str, arn: str, timeout: float) -> Outcome:
        """Runs one event in a warm sandbox, or in a new one if none is free."""
        with self._lock:
            slots = self._slots[program.key]
        with slots:
            sandbox = self._take(program)
            try:
                return sandbox.invoke(request_id, payload, arn, timeout)
            finally:
                self._give_back(sandbox)

    def close(self) -> None:
        """Kills every child process, including busy ones."""
        with self._lock:
            sandboxes = [*self._busy, *(sandbox for idle in self._idle.values() for sandbox in idle)]
            self._idle.clear()
        for sandbox in sandboxes:
            sandbox.close()

    def _take(self, program: Program) -> Sandbox:
        with self._lock:
            idle = self._idle[program.key]
            outdated = [sandbox for sandbox in idle if sandbox.program != program]
            fresh = [sandbox for sandbox in idle if sandbox.program == program]
            sandbox = fresh.pop() if fresh else Sandbox(program, self._node)
            self._idle[program.key] = fresh
            self._busy.add(sandbox)
        for old in outdated:
            old.close()
        return sandbox

    def _give_back(self, sandbox: Sandbox) -> None:
        with self._lock:
            self._busy.discard(sandbox)
            if not sandbox.dead:
                self._idle[sandbox.program.key].append(sandbox)

    def _sweep(self) -> None:
        while True:
            time.sleep(IDLE_SECONDS / 10)
            limit = time.monotonic() - IDLE_SECONDS
            with self._lock:
                old = [sandbox for idle in self._idle.values() for sandbox in idle if sandbox.last_used < limit]
                for key, idle in self._idle.items():
                    self._idle[key] = [sandbox for sandbox in idle if sandbox.last_used >= limit]
            for sandbox in old:
                sandbox.close()


TIMED_OUT = object()


def _error(kind: str, message: str, logs: list[str]) -> Outcome:
    return Outcome(json.dumps({"errorType": kind, "errorMessage": message}), True, logs)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
