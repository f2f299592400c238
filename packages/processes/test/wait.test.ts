import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { LocalError } from "../error.ts";
import { patient, waitFor } from "../wait.ts";

const test = suite("waiting for a condition");

const options = { what: "the moon", timeoutMs: 5_000, intervalMs: 1 };

async function failure(wait: Promise<unknown>): Promise<Error> {
  const error = await wait.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, Error);
  return error as Error;
}

test("returns the probe's result, also 0 and an empty text, after false, undefined and errors", async () => {
  const answers = [
    () => false as const,
    () => undefined,
    () => {
      throw new Error("not yet");
    },
    () => 42,
  ];
  assert.is(await waitFor(async () => answers.shift()?.(), options), 42);
  assert.is(await waitFor(async () => 0, options), 0);
  assert.is(await waitFor(async () => "", options), "");
});

test("times out with what it waited for, the time, the last error and the context", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const error = await failure(
    waitFor(
      async () => {
        throw new TypeError("fetch failed", { cause: refused });
      },
      { ...options, timeoutMs: 20, context: () => "the log" },
    ),
  );
  assert.instance(error, LocalError);
  assert.is(
    error.message,
    `gave up waiting for the moon after ${patient(20) / 1_000} s; last error: fetch failed (connect ECONNREFUSED)\nthe log`,
  );
});

test("times out even if a probe never returns, and probes no more after a timeout", async () => {
  const error = await failure(waitFor(() => new Promise(() => {}), { ...options, timeoutMs: 20 }));
  assert.is(error.message, `gave up waiting for the moon after ${patient(20) / 1_000} s`);
  let probes = 0;
  const probe = async () => {
    probes += 1;
    return false;
  };
  await failure(waitFor(probe, { ...options, timeoutMs: 20 }));
  const before = probes;
  await waitFor(async () => true, options);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(probes, before);
});

test("ends at once with the reason when it is aborted", async () => {
  const died = Promise.reject(new Error("the server died"));
  const error = await failure(waitFor(async () => false, { ...options, abort: died }));
  assert.is(error.message, "the server died");
});

test("stops probing after a timeout", async () => {
  let probes = 0;
  await failure(
    waitFor(
      async () => {
        probes += 1;
        return false;
      },
      { ...options, timeoutMs: 20 },
    ),
  );
  const before = probes;
  await waitFor(async () => true, options);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(probes, before);
});

test.run();
