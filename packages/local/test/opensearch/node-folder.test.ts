import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { claimData, diagnose, forgetNode, nodeFolder, recordNode, runningNode } from "../../opensearch/node-folder.ts";

const test = suite("OpenSearch node folder");

let dir = "";
test.before.each(() => {
  dir = scratchFolder(TEST_OUTPUT, "node");
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

/** Starts a process with these words on its command line. */
const processWith = (...words: string[]) => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", ...words]);

test("finds the server that runs on it", async () => {
  const folder = nodeFolder(dir);
  const server = processWith("--", `-Dopensearch.path.conf=${folder.conf}`, "org.opensearch.bootstrap.OpenSearch");
  try {
    const node = { pid: server.pid ?? 0, url: "http://127.0.0.1:1", version: "2.19.6" as const };
    recordNode(folder, node);
    const found = await waitFor(async () => runningNode(dir), {
      what: "the process's command line",
      timeoutMs: 30_000,
    });
    assert.equal(found, node);
    forgetNode(folder);
    assert.is(runningNode(dir), undefined);
  } finally {
    server.kill("SIGKILL");
  }
});

test("does not mistake another program, or a server on another folder, for its own", async () => {
  const folder = nodeFolder(dir);
  const server = processWith("--", `-Dopensearch.path.conf=${folder.conf}-2`, "org.opensearch.bootstrap.OpenSearch");
  try {
    for (const pid of [process.pid, server.pid ?? 0]) {
      recordNode(folder, { pid, url: "http://127.0.0.1:1", version: "2.19.6" });
      assert.is(runningNode(dir), undefined);
    }
  } finally {
    server.kill("SIGKILL");
  }
});

test("finds no server without a complete record", () => {
  assert.is(runningNode(dir), undefined);
  writeFileSync(join(dir, "node.json"), '{"pid":');
  assert.is(runningNode(dir), undefined);
});

test("refuses data that another version wrote, naming both solutions", () => {
  const folder = nodeFolder(dir);
  claimData(folder, "2.19.6");
  mkdirSync(folder.data);
  claimData(folder, "2.19.6");
  try {
    claimData(folder, "3.6.0");
    assert.unreachable("the data was claimed");
  } catch (error) {
    assert.instance(error, LocalError);
    const { message } = error as Error;
    assert.match(message, "is OpenSearch 2.19.6's, and this is 3.6.0");
    assert.match(message, "OPENSEARCH_VERSION=2.19.6");
    assert.match(message, `rm -rf '${folder.data}'`);
  }
});

test("accepts another version for deleted data", () => {
  const folder = nodeFolder(dir);
  claimData(folder, "2.19.6");
  claimData(folder, "3.6.0");
  mkdirSync(folder.data);
  claimData(folder, "3.6.0");
});

test("explains why a server ended, and shows the end of its log", () => {
  for (const [line, advice] of [
    ["java.lang.UnsatisfiedLinkError: no opensearchknn_faiss_avx512 in java.library.path", "without the lucene engine"],
    [
      "BindHttpException[Failed to bind to 127.0.0.1:9200]; nested: BindException[Address already in use]",
      "took its port",
    ],
    ["java.lang.IllegalStateException: failed to obtain node locks, tried [[/x/data]]", "Another server is using"],
    ["fatal error in thread [main]: java.lang.OutOfMemoryError: Java heap space", "larger heap"],
    ["cannot downgrade a node from version [3.6.0] to version [2.19.6]", "Another version"],
    ["something new", ""],
  ] as const) {
    const folder = nodeFolder(dir);
    mkdirSync(folder.logs, { recursive: true });
    writeFileSync(folder.console, `start\n${line}\n${"  at some.Class\n".repeat(50)}the last line\n`);
    const text = diagnose(folder);
    assert.match(text, advice);
    assert.match(text, `The end of its log (${folder.console}):`);
    assert.match(text, /\n {2}the last line$/);
  }
});

test.run();
