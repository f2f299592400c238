import type { BulkAnswer, BulkItemResult, BulkOperation, BulkRequest } from "./types.ts";

/** The most bytes of a request's body, and operations in it. Source: the bulk guide. */
const MOST_BYTES = 4 * 2 ** 20;
const MOST_OPERATIONS = 5_000;

export interface BulkOptions {
  /** As in a bulk request. */
  refresh?: BulkRequest["refresh"];
  /** The most operations in a request. With embeddings, a few hundred are a good number. Default: 500. */
  operations?: number;
  /** The most bytes of a request's body. Default, and the most that the gateway takes: 4 MiB. */
  bytes?: number;
  /** How often an operation is repeated that the gateway calls retryable. Default: 3. */
  retries?: number;
  /** Replaces the pause before operations are repeated. */
  pause?: (ms: number) => Promise<void>;
}

/** Outcome of an operation; `result.error` has the reason of a failure. */
export interface Written {
  operation: BulkOperation;
  result: BulkItemResult;
}

type Send = (request: BulkRequest) => Promise<BulkAnswer>;
type Operations = Iterable<BulkOperation> | AsyncIterable<BulkOperation>;

/**
 * Writes any number of operations, in requests that follow one another, and yields what became of each in the given order.
 * Operations that are retryable are repeated before the next request is sent, so that the order on an id is kept.
 */
export async function* writeAll(
  send: Send,
  index: string,
  operations: Operations,
  options: BulkOptions = {},
): AsyncGenerator<Written> {
  for await (const batch of batches(index, operations, options)) yield* await written(send, index, batch, options);
}

/** Groups operations into bodies within the limits. One that is too large alone is sent alone: the gateway refuses it. */
async function* batches(
  index: string,
  operations: Operations,
  { operations: most = 500, bytes = MOST_BYTES, refresh }: BulkOptions,
): AsyncGenerator<BulkOperation[]> {
  const empty = size({ index, ...(refresh === undefined ? {} : { refresh }), bulk_request: [] });
  let batch: BulkOperation[] = [];
  let total = empty;
  for await (const operation of operations) {
    const own = size(operation) + 1;
    if (batch.length > 0 && (batch.length >= Math.min(most, MOST_OPERATIONS) || total + own > bytes)) {
      yield batch;
      batch = [];
      total = empty;
    }
    batch.push(operation);
    total += own;
  }
  if (batch.length > 0) yield batch;
}

async function written(
  send: Send,
  index: string,
  batch: readonly BulkOperation[],
  { refresh, retries = 3, pause = sleep }: BulkOptions,
): Promise<Written[]> {
  const results: Written[] = [];
  let left = batch.map((operation, position) => ({ operation, position }));
  for (let attempt = 0; left.length > 0; attempt++) {
    const answer = await send({
      index,
      ...(refresh === undefined ? {} : { refresh }),
      bulk_request: left.map(({ operation }) => operation),
    });
    const again: typeof left = [];
    let seconds = 0;
    for (const [at, { operation, position }] of left.entries()) {
      const result = resultOf(answer, at);
      results[position] = { operation, result };
      if (!isRetryable(result)) continue;
      again.push({ operation, position });
      seconds = Math.max(seconds, Number(result.error?.retry_after ?? 0));
    }
    if (again.length === 0 || attempt >= retries) break;
    await pause(Math.max(seconds * 1_000, 500 * 2 ** attempt));
    left = again;
  }
  return results;
}

/** The rule of the bulk guide: exactly these may be sent again. */
const isRetryable = ({ status, error }: BulkItemResult): boolean =>
  error !== undefined && (status === 429 || error.retryable === true);

function resultOf({ index_response: { items } }: BulkAnswer, position: number): BulkItemResult {
  const item = items[position];
  const result = item && Object.values(item)[0];
  if (!result) throw new Error(`the bulk answer has no item ${position}`);
  return result;
}

const size = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
