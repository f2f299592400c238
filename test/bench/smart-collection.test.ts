import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { readSmart } from "../../bench/smart-collection.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("a collection in SMART's format");

const FILES = {
  "small.all.3":
    ".I 1\r\n.T\r\nwing in a\r\nslipstream .\r\n.A\r\nsomebody\r\n.W\r\nan .I inside, and\r\nmore\r\n.I 2\r\n.T\r\nheat\r\n.W\r\nflow\r\n.I 3\r\n.T\r\n.W\r\n",
  "small.qry": ".I 001\n.W\nlift of\na wing\n.I 004\n.W\nheat\n",
  smallqrel: "1 1 3\n1 1 1 \n1 2 -1\n2 2  4\n",
};

test("joins title and text, numbers queries by their order, and keeps the better grade", () => {
  const dir = scratchFolder(TEST_OUTPUT, "smart");
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(dir, name), content);
  const { documents, queries, judgments } = readSmart(dir);
  assert.equal(
    [...documents],
    [
      ["1", "wing in a slipstream .\nan .I inside, and more"],
      ["2", "heat\nflow"],
    ],
  );
  assert.equal(
    [...queries],
    [
      ["1", "lift of a wing"],
      ["2", "heat"],
    ],
  );
  assert.equal(
    [...judgments].map(([query, grades]) => [query, ...grades]),
    [
      ["1", ["1", 4], ["2", 0]],
      ["2", ["2", 1]],
    ],
  );
  rmSync(dir, { recursive: true });
});

test.run();
