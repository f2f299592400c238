import * as assert from "uvu/assert";
import { formatKeyNumbers, parseKeyNumbers, rotatedNumbers } from "../../cli/key-numbers.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { suite } from "../suite.ts";

const test = suite("numbers of API keys");

const shop = { service: "search-gateway", name: "shop", known: ["default", "shop", "loader"] } as const;

/** Returns the parameter after one step of `rotate-key`. */
function rotated(parameter: string, step: { name?: string; finish: boolean }): string {
  const before = parseKeyNumbers(parameter);
  if (typeof before === "string") throw new Error(before);
  return formatKeyNumbers(rotatedNumbers(before, { ...shop, ...step }));
}

test("adds and removes only a key of the name given to rotate-key --name", () => {
  const during = rotated("1 loader=3", { finish: false });
  assert.is(during, "1 loader=3 shop=1,2");
  assert.is(rotated(during, { finish: true }), "1 loader=3 shop=2");
  assert.is(rotated("1 shop=2", { finish: false }), "1 shop=2,3");
  assert.is(rotated("1 shop=2", { name: "default", finish: false }), "1,2 shop=2");
});

test("names the command for the other step, with the key, if a step is already done", () => {
  const command = "`relevance rotate-key --service search-gateway --name shop";
  assert.throws(() => rotated("1", { finish: true }), failure(`has only one key: run ${command}\` first`));
  assert.throws(() => rotated("1 shop=1,2", { finish: false }), failure(`run ${command} --finish\``));
  assert.throws(
    () => rotated("1", { name: "default", finish: true }),
    failure("run `relevance rotate-key --service search-gateway` first"),
  );
});

const failure = (text: string) => (error: unknown) => error instanceof Failure && error.message.includes(text);

test("rejects a name that api.yaml does not have with a usage error that lists its names", () => {
  assert.throws(
    () => rotated("1", { name: "browser", finish: false }),
    (error: unknown) =>
      error instanceof UsageError &&
      error.message === "search-gateway has no key browser: --name must be one of default, shop, loader",
  );
});

test("returns text that is not a list of numbers as it is", () => {
  for (const text of ["one", "1 shop=", "1,2,3", "0", "1 shop=1,x"]) assert.is(parseKeyNumbers(text), text);
});

test.run();
