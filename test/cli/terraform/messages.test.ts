import * as assert from "uvu/assert";
import { progressLine } from "../../../cli/terraform/messages.ts";
import { suite } from "../../suite.ts";

const test = suite("apply progress");

const hook = (type: string, action: string, elapsed_seconds = 0) =>
  progressLine(
    JSON.stringify({ type, hook: { resource: { addr: "aws_x.y", resource_type: "aws_x" }, action, elapsed_seconds } }),
  );

test("prints a line for each finished resource, with the time if it took long", () => {
  assert.is(hook("apply_complete", "create"), "aws_x.y: created");
  assert.is(hook("apply_complete", "update", 12), "aws_x.y: changed (12 s)");
  assert.is(hook("apply_complete", "delete", 1), "aws_x.y: deleted");
  assert.is(hook("apply_errored", "create"), "aws_x.y: failed");
  const given = JSON.stringify({ type: "apply_errored", hook: { resource: { addr: "aws_x.y" }, action: "create" } });
  assert.is(progressLine(given, true), "aws_x.y: interrupted");
});

test("prints a line every half minute for a slow resource, and none for other events", () => {
  assert.is(hook("apply_progress", "create", 30), "aws_x.y: still in progress (create, 30 s)");
  assert.is(hook("apply_progress", "create", 10), undefined);
  assert.is(hook("apply_start", "create"), undefined);
  assert.is(hook("apply_complete", "read"), undefined);
  assert.is(hook("refresh_complete", "read"), undefined);
});

test("prints warnings, leaves errors for the end, and skips text", () => {
  const diagnostic = (severity: string) =>
    progressLine(JSON.stringify({ type: "diagnostic", diagnostic: { severity, summary: "deprecated" } }));
  assert.is(diagnostic("warning"), "warning: deprecated");
  assert.is(diagnostic("error"), undefined);
  assert.is(progressLine("{not json"), undefined);
  assert.is(progressLine("hello"), undefined);
});

test.run();
