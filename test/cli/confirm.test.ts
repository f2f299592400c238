import { PassThrough } from "node:stream";
import * as assert from "uvu/assert";
import { confirm, NotAgreed } from "../../cli/confirm.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { suite } from "../suite.ts";

const test = suite("confirmation before changes");
const silent = { write: () => {} };
const terminal = createTerminal(silent, silent, true);

test("does not ask with --yes", async () => {
  await confirm(terminal, { text: "Apply?", yes: true });
});

/** Returns "agreed", or the error, when a user types this. */
async function answered(typed: string, question: { answer?: string } = {}, isTTY = true): Promise<unknown> {
  const input = Object.assign(new PassThrough(), { isTTY });
  input.end(`${typed}\n`);
  try {
    await confirm(terminal, { text: "Apply?", yes: false, ...question }, input);
    return "agreed";
  } catch (error) {
    return error;
  }
}

test("accepts yes, also with spaces around it", async () => {
  assert.is(await answered("yes"), "agreed");
  assert.is(await answered("  yes "), "agreed");
});

for (const typed of ["", "y", "no", "YES"]) {
  test(`does not accept ${JSON.stringify(typed)}, and says that nothing was changed`, async () => {
    const error = await answered(typed);
    assert.instance(error, NotAgreed);
    assert.is((error as Error).message, "Nothing was changed.");
  });
}

test("does not accept an input that ends without an answer", async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end();
  const error = await confirm(terminal, { text: "Apply?", yes: false }, input).catch((thrown: unknown) => thrown);
  assert.instance(error, NotAgreed);
});

test("does not accept yes where the project's name is required", async () => {
  assert.instance(await answered("yes", { answer: "shop" }), NotAgreed);
  assert.is(await answered("shop", { answer: "shop" }), "agreed");
});

test("throws without asking if there is no terminal", async () => {
  const error = await answered("yes", {}, false);
  assert.instance(error, UsageError);
  assert.is((error as Error).message, "Apply? There is no terminal to answer on: pass --yes to confirm");
});

test.run();
