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

const policy = (...actions: string[]) => JSON.stringify({ Statement: [{ Action: actions }] });
const CHANGES: Readonly<Record<string, readonly [change: Partial<Change>, lines: string[]]>> = {
  "names only what differs, including parts of structures and lists": [
    {
      before: { memory: 512, tags: { a: "1", b: "2" }, list: [{ x: 1 }, { x: 2 }], same: [1] },
      after: { memory: 1024, tags: { a: "1", c: "3" }, list: [{ x: 1 }, { x: 5 }], same: [1] },
    },
    ["memory: 512 -> 1024", 'tags.b: "2" -> undefined', 'tags.c: undefined -> "3"', "list[1].x: 2 -> 5"],
  ],
  "compares JSON in text by its parts": [
    { before: { policy: policy("a") }, after: { policy: policy("a", "b") } },
    ['policy.Statement[0].Action[1]: undefined -> "b"'],
  ],
  "compares text that only looks like JSON as text": [
    { before: { text: "{a" }, after: { text: "{b" } },
    ['text: "{a" -> "{b"'],
  ],
  "leaves out a value that AWS recomputes when another change explains it": [
    { before: { hash: "a", version: "1" }, after: { hash: "b" }, after_unknown: { version: true } },
    ['hash: "a" -> "b"'],
  ],
  "shows a value that is only known after the apply if nothing else explains the change": [
    { before: { version: "1" }, after: {}, after_unknown: { version: true } },
    ['version: "1" -> (known after apply)'],
  ],
  "shows an unknown value that forces the replacement beside other changes": [
    { before: { id: "a", size: 1 }, after: { size: 2 }, after_unknown: { id: true }, replace_paths: [["id"]] },
    ['id: "a" -> (known after apply) forces', "size: 1 -> 2"],
  ],
  "marks what forces the replacement, even if the plan names the structure that contains it": [
    {
      before: { vpc: [{ subnets: ["a"] }], vpcs: 1 },
      after: { vpc: [{ subnets: ["b"] }], vpcs: 2 },
      replace_paths: [["vpc"]],
    },
    ['vpc[0].subnets[0]: "a" -> "b" forces', "vpcs: 1 -> 2"],
  ],
  "never shows a sensitive value or a part of a sensitive structure": [
    {
      before: { value: "old", inner: { a: 1, b: 1 } },
      after: { value: "new", inner: { a: 2, b: 1 } },
      before_sensitive: { value: true, inner: { a: true } },
      after_sensitive: { value: true },
    },
    ["value: (sensitive) -> (sensitive)", "inner.a: (sensitive) -> (sensitive)"],
  ],
  "never shows a whole structure that is sensitive only afterwards": [
    { before: { s: { a: "x" } }, after: { s: { a: "y" } }, after_sensitive: { s: true } },
    ["s: (sensitive) -> (sensitive)"],
  ],
  "shows only the length of long values": [
    { before: { text: "a".repeat(60) }, after: { text: "short" } },
    ['text: (text of 62 characters) -> "short"'],
  ],
  "does not count one kind of empty value for another as a change": [
    { before: { a: "", b: false, c: 0, d: [], e: { f: "" }, g: "" }, after: { a: null, d: null, g: "x" } },
    ['g: "" -> "x"'],
  ],
};
for (const [what, [change, expected]] of Object.entries(CHANGES)) {
  test(what, () => assert.equal(lines(change), expected));
}

test.run();
