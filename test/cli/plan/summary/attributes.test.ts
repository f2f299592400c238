import * as assert from "uvu/assert";
import { attributeChanges } from "../../../../cli/plan/summary/attributes.ts";
import type { Change } from "../../../../cli/plan/summary/plan-json.ts";
import { suite } from "../../../suite.ts";

const test = suite("changed attributes of a plan");

const lines = (change: Partial<Change>) =>
  attributeChanges({ actions: ["update"], before: {}, after: {}, ...change }).map(
    ({ path, before, after, forcesReplacement }) =>
      `${path}: ${before} -> ${after}${forcesReplacement ? " forces" : ""}`,
  );

test("names only what differs, including parts of structures and lists", () => {
  const before = { memory: 512, tags: { a: "1", b: "2" }, list: [{ x: 1 }, { x: 2 }], same: [1] };
  const after = { memory: 1024, tags: { a: "1", c: "3" }, list: [{ x: 1 }, { x: 5 }], same: [1] };
  assert.equal(lines({ before, after }), [
    "memory: 512 -> 1024",
    'tags.b: "2" -> undefined',
    'tags.c: undefined -> "3"',
    "list[1].x: 2 -> 5",
  ]);
});

test("compares JSON in text by its parts", () => {
  const policy = (actions: string[]) => JSON.stringify({ Statement: [{ Action: actions }] });
  assert.equal(lines({ before: { policy: policy(["a"]) }, after: { policy: policy(["a", "b"]) } }), [
    'policy.Statement[0].Action[1]: undefined -> "b"',
  ]);
});

test("compares text that only looks like JSON as text", () => {
  assert.equal(lines({ before: { text: "{a" }, after: { text: "{b" } }), ['text: "{a" -> "{b"']);
});

test("leaves out a value that AWS recomputes when another change explains it", () => {
  const change = { before: { hash: "a", version: "1" }, after: { hash: "b" }, after_unknown: { version: true } };
  assert.equal(lines(change), ['hash: "a" -> "b"']);
});

test("shows a value that is only known after the apply if nothing else explains the change", () => {
  assert.equal(lines({ before: { version: "1" }, after: {}, after_unknown: { version: true } }), [
    'version: "1" -> (known after apply)',
  ]);
});

test("shows an unknown value that forces the replacement beside other changes", () => {
  const change = {
    before: { id: "a", size: 1 },
    after: { size: 2 },
    after_unknown: { id: true },
    replace_paths: [["id"]],
  };
  assert.equal(lines(change), ['id: "a" -> (known after apply) forces', "size: 1 -> 2"]);
});

test("marks what forces the replacement, even if the plan names the structure that contains it", () => {
  const change = {
    before: { vpc: [{ subnets: ["a"] }], vpcs: 1 },
    after: { vpc: [{ subnets: ["b"] }], vpcs: 2 },
    replace_paths: [["vpc"]],
  };
  assert.equal(lines(change), ['vpc[0].subnets[0]: "a" -> "b" forces', "vpcs: 1 -> 2"]);
});

test("never shows a sensitive value or a part of a sensitive structure", () => {
  const change = {
    before: { value: "old", inner: { a: 1, b: 1 } },
    after: { value: "new", inner: { a: 2, b: 1 } },
    before_sensitive: { value: true, inner: { a: true } },
    after_sensitive: { value: true },
  };
  assert.equal(lines(change), ["value: (sensitive) -> (sensitive)", "inner.a: (sensitive) -> (sensitive)"]);
  const whole = { before: { s: { a: "x" } }, after: { s: { a: "y" } }, after_sensitive: { s: true } };
  assert.equal(lines(whole), ["s: (sensitive) -> (sensitive)"]);
});

test("shows only the length of long values", () => {
  assert.equal(lines({ before: { text: "a".repeat(60) }, after: { text: "short" } }), [
    'text: (text of 62 characters) -> "short"',
  ]);
});

test("does not count one kind of empty value for another as a change", () => {
  const before = { a: "", b: false, c: 0, d: [], e: { f: "" }, g: "" };
  assert.equal(lines({ before, after: { a: null, d: null, g: "x" } }), ['g: "" -> "x"']);
});

test.run();
