import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { writeAll } from "../src/bulk.ts";
import type { BulkAnswer, BulkOperation, BulkRequest } from "../src/types.ts";

const test = suite("bulk helper of the TypeScript client");

const operation = (id: string, text = ""): BulkOperation => ({ id, op: "index", doc: { text } });

/** Writes all operations; `failing` gives the error of an operation at its n-th attempt. */
async function write(
  operations: readonly BulkOperation[],
  options: Parameters<typeof writeAll>[3] = {},
  failing: (id: string, attempt: number) => { status: number; error?: object } | undefined = () => undefined,
) {
  const requests: BulkRequest[] = [];
  const pauses: number[] = [];
  const attempts = new Map<string, number>();
  const send = async (request: BulkRequest) => {
    requests.push(request);
    const items = request.bulk_request.map(({ id, op }) => {
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      return { [op]: { _index: "books", _id: id, status: 201, ...failing(id, attempts.get(id) ?? 0) } };
    });
    return { index_response: { took: 1, errors: false, items } } as unknown as BulkAnswer;
  };
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  const written = await Array.fromAsync(writeAll(send, "books", operations, { pause, ...options }));
  return { requests, pauses, written };
}

test("splits by number, and yields each operation's result in the given order", async () => {
  const operations = Array.from({ length: 1_201 }, (_, i) => operation(`b${i}`));
  const { requests, written } = await write(operations);
  assert.equal(
    requests.map(({ bulk_request }) => bulk_request.length),
    [500, 500, 201],
  );
  assert.equal(
    written.map((one) => one.result._id),
    operations.map(({ id }) => id),
  );
});

test("no body is longer than the limit in bytes of UTF-8, unless one operation alone is", async () => {
  const texts = ["é".repeat(300), "x", "é".repeat(2_000), "y", "z".repeat(500)];
  const operations = texts.map((text, i) => operation(`b${i}`, text));
  const { requests, written } = await write(operations, { bytes: 1_000 });
  const sizes = requests.map((request) => [request.bulk_request.length, Buffer.byteLength(JSON.stringify(request))]);
  assert.ok(
    sizes.every(([count = 0, bytes = 0]) => count === 1 || bytes <= 1_000),
    JSON.stringify(sizes),
  );
  assert.is(written.length, 5);
  assert.is(requests.length, 3);
});

test("repeats exactly what is retryable before it goes on, and keeps the order", async () => {
  const busy = (id: string, attempt: number) => {
    if (id === "b1" && attempt < 3) return { status: 503, error: { retryable: true, retry_after: 7 } };
    if (id === "b2" && attempt < 2) return { status: 429, error: { type: "cluster_busy" } };
    if (id === "b3") return { status: 400, error: { type: "mapper_parsing_exception" } };
    return undefined;
  };
  const ids = ["b0", "b1", "b2", "b3", "b4", "b5"];
  const { requests, pauses, written } = await write(
    ids.map((id) => operation(id)),
    { operations: 4 },
    busy,
  );
  assert.equal(
    requests.map(({ bulk_request }) => bulk_request.map(({ id }) => id)),
    [["b0", "b1", "b2", "b3"], ["b1", "b2"], ["b1"], ["b4", "b5"]],
  );
  assert.equal(pauses, [7_000, 7_000]);
  assert.equal(
    written.map(({ result }) => result.status),
    [201, 201, 201, 400, 201, 201],
  );
});

test("gives up after the retries, and yields the last error", async () => {
  const { requests, written } = await write([operation("b1")], { retries: 2 }, () => ({
    status: 503,
    error: { retryable: true },
  }));
  assert.equal([requests.length, written[0]?.result.status], [3, 503]);
});

test.run();
