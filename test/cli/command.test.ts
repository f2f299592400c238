import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import * as assert from "uvu/assert";
import { suite } from "../suite.ts";

const test = suite("resumable work");

/** Returns the output and exit code of a program that is interrupted during resumable work. */
async function interrupted(before: string): Promise<{ said: string; code: number | null }> {
  const module = new URL("../../cli/command.ts", import.meta.url).href;
  const source = `
    import { resumable } from ${JSON.stringify(module)};
    ${before}
    setTimeout(() => process.exit(9), 20_000);
    await resumable({ note: (line) => console.log(line) }, async () => {
      console.log("working");
      await new Promise(() => {});
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = text(child.stdout);
  child.stdout.once("data", () => child.kill("SIGINT"));
  const [code] = (await once(child, "close")) as [number | null];
  return { said: await said, code };
}

test("says how to resume after an interruption, and exits with 1", async () => {
  const { said, code } = await interrupted("");
  assert.is(said, "working\n\nInterrupted: run the command again to resume.\n");
  assert.is(code, 1);
});

test("leaves the interruption to a listener that is already there, such as that of a Terraform run", async () => {
  const { said, code } = await interrupted('process.on("SIGINT", () => { console.log("own"); process.exit(7); });');
  assert.is(said, "working\nown\n");
  assert.is(code, 7);
});

test.run();
