import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { freePorts, HOST } from "@relevance/processes/ports.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { rememberedPort, stackPorts } from "../../dev/ports.ts";

const test = suite("ports of the local stack");

const dir = mkdtempSync(join(tmpdir(), "ports-"));
test.after(() => rmSync(dir, { recursive: true }));

const listening = (port: number) =>
  new Promise<Server>((resolve) => {
    const server = createServer().listen(port, HOST, () => resolve(server));
  });

test("keeps a server's port between starts, also one that it got because its usual port was taken", async () => {
  const [usual = 0] = await freePorts(1);
  assert.is(await rememberedPort(dir, "api", usual), usual);
  assert.is.not(await rememberedPort(dir, "page of books", usual), usual, "another server of the stack has it");
  const other = await listening(usual);
  const moved = await rememberedPort(dir, "api", usual);
  assert.is.not(moved, usual);
  await new Promise((closed) => other.close(closed));
  assert.is(await rememberedPort(dir, "api", usual), moved);
});

test("takes the ports from PORT on, and refuses a taken one", async () => {
  const [port = 0, next = 0] = await freePorts(6);
  const { api, shop } = await stackPorts({ dir, port });
  assert.equal([api, shop], [port, port + 5]);
  const other = await listening(next);
  const error = await stackPorts({ dir, port }).catch((reason: unknown) => reason);
  assert.instance(error, LocalError);
  assert.match((error as Error).message, `port ${next} for OpenSearch is taken`);
  other.close();
});

test.run();
