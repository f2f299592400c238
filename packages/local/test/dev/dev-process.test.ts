import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@relevance/processes/wait.ts";
import { suite } from "../../../../test/suite.ts";
import { processesOf } from "./dev-process.ts";

const test = suite("make dev of a test");

test("ends with the test's process, even if that is killed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "relevance-dev-process-"));
  const script = `(await import(${JSON.stringify(join(import.meta.dirname, "dev-process.ts"))})).startDev(process.argv[1]); console.log("started")`;
  const starter = spawn(process.execPath, ["--input-type=module", "-e", script, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(starter.stdout, "data");
    const devs = () => processesOf(dir).filter((line) => line.includes("packages/local/dev/main.ts"));
    await waitFor(async () => devs().length > 0, { what: "make dev to start", timeoutMs: 30_000 });
    starter.kill("SIGKILL");
    await waitFor(async () => processesOf(dir).length === 0, {
      what: "make dev to end",
      timeoutMs: 10_000,
      context: () => processesOf(dir).join("\n"),
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test.run();
