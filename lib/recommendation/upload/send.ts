import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { Issue } from "../../platform/http/error.ts";
import { parseJson } from "../../platform/json/values.ts";
import { backoff } from "../../platform/resilience/deadline.ts";
import type { RowPosition } from "../schema/row.ts";
import { ENDPOINTS, type Line } from "./files.ts";

/** The reason why an upload stopped. The message says what happened and what to do. */
export class UploadError extends Error {
  override name = "UploadError";
  /** Whether the input (address, key or files) is wrong, as opposed to a failure of the service. */
  readonly wrongInput: boolean;

  constructor(message: string, wrongInput: boolean, options?: ErrorOptions) {
    super(message, options);
    this.wrongInput = wrongInput;
  }
}

/** The service to upload to. */
export interface UploadTarget {
  /** The API URL that `relevance info` prints, without a trailing slash. */
  url: string;
  apiKey: string;
  /** The upload stops if the service makes no progress for this many milliseconds. */
  patienceMs?: number;
  /** Replaced by tests, which must not sleep. */
  wait?: (ms: number) => Promise<unknown>;
  now?: () => number;
}

/** A row that the service rejected. */
export interface RejectedRow extends RowPosition {
  id: string | null;
  issues: readonly Issue[];
}

/** The result of sending a batch. */
export interface Sent {
  accepted: number;
  rejected: RejectedRow[];
  /** Why accepted records were not passed on in real time. */
  degraded: string[];
  /** The number of requests that were repeated. */
  retries: number;
}

/** Longer than the API's own limit of 29 seconds. */
const REQUEST_MS = 35_000;
const PATIENCE_MS = 120_000;

/** Statuses to retry. Retrying is safe, because users and items are replaced and events keep their ids. */
const PASSING = [408, 429, 500, 502, 503, 504];

const Answer = v.object({
  request: v.object({ count: v.number() }),
  response: v.object({
    accepted: v.number(),
    rejected: v.array(
      v.object({
        index: v.number(),
        id: v.nullable(v.string()),
        retryable: v.boolean(),
        issues: v.array(v.object({ path: v.string(), message: v.string() })),
      }),
    ),
  }),
  degraded: v.optional(v.array(v.object({ stage: v.string(), reason: v.string() })), []),
});

type Answer = v.InferOutput<typeof Answer>;

/** The result of one request: an answer for each record, a reason to retry later, or a body that was too large. */
type Attempt =
  | { kind: "answered"; answer: Answer }
  | { kind: "later"; reason: string; afterMs: number }
  | { kind: "too-large" };

/**
 * Sends a batch until every record is accepted or rejected for good. Retries temporary failures with backoff: no
 * connection, throttling, or records that the store did not accept. Throws UploadError if there is no progress for
 * `patienceMs`, and at once if the address or key is wrong.
 */
export async function sendBatch(target: UploadTarget, dataset: Dataset, batch: readonly Line[]): Promise<Sent> {
  const { patienceMs = PATIENCE_MS, wait = sleep, now = () => performance.now() } = target;
  const sent: Sent = { accepted: 0, rejected: [], degraded: [], retries: 0 };
  let left = batch;
  let progressAt = now();
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await request(target, dataset, left);
    if (outcome.kind === "too-large") return addUp(sent, await halves(target, dataset, left));
    let reason = "the records could not be stored";
    let delay = backoff(attempt);
    if (outcome.kind === "later") {
      reason = outcome.reason;
      delay = Math.max(delay, outcome.afterMs);
    } else {
      const { response, degraded } = outcome.answer;
      const again = settle(left, response, sent);
      sent.degraded.push(...degraded.map((entry) => entry.reason));
      if (again.length === 0) return sent;
      if (again.length < left.length) {
        progressAt = now();
        attempt = 0;
      }
      reason = response.rejected.find(({ retryable }) => retryable)?.issues[0]?.message ?? reason;
      left = again;
    }
    if (now() - progressAt + delay > patienceMs) {
      throw new UploadError(
        `${target.url}${ENDPOINTS[dataset].path} has accepted nothing for ${Math.round((now() - progressAt) / 1_000)} s: ` +
          `${reason}${delay > patienceMs ? ` It asks to come back in ${Math.round(delay / 1_000)} s.` : ""}`,
        false,
      );
    }
    sent.retries += 1;
    await wait(delay);
  }
}

/**
 * Sends an empty request, to check the address and key before any file is read. Throws UploadError if one is wrong or
 * the service cannot be reached. Passes if the service is only busy, since the upload retries.
 */
export async function checkTarget(target: UploadTarget): Promise<void> {
  const url = `${target.url}${ENDPOINTS.user.path}`;
  const answer = await post(target, url, "{}").catch((error: unknown) => {
    throw new UploadError(
      `${url} cannot be reached: ${connectionProblem(error)}. Is the API host right? \`relevance info\` prints it`,
      false,
      { cause: error },
    );
  });
  const isOurs = v.is(Failed, parseJson(answer.text));
  // The service's own answer to a body without records.
  if (answer.status === 400 && isOurs) return;
  if (PASSING.includes(answer.status) && isOurs) return;
  throw new UploadError(refusal(url, answer.status, answer.text), true);
}

/** Adds the final results to `sent` and returns the records to send again. */
function settle(batch: readonly Line[], { rejected }: Answer["response"], sent: Sent): Line[] {
  const again: Line[] = [];
  for (const { index, id, retryable, issues } of rejected) {
    const entry = batch[index];
    if (!entry) continue;
    if (retryable) again.push(entry);
    else sent.rejected.push({ ...entry.place, id, issues });
  }
  sent.accepted += batch.length - rejected.length;
  return again;
}

async function halves(target: UploadTarget, dataset: Dataset, batch: readonly Line[]): Promise<Sent> {
  const [first] = batch;
  if (batch.length === 1 && first) {
    const issues = [{ path: "", message: "is larger than one request may be" }];
    return { accepted: 0, rejected: [{ ...first.place, id: null, issues }], degraded: [], retries: 0 };
  }
  const middle = Math.ceil(batch.length / 2);
  const left = await sendBatch(target, dataset, batch.slice(0, middle));
  return addUp(left, await sendBatch(target, dataset, batch.slice(middle)));
}

function addUp(a: Sent, b: Sent): Sent {
  return {
    accepted: a.accepted + b.accepted,
    rejected: [...a.rejected, ...b.rejected],
    degraded: [...a.degraded, ...b.degraded],
    retries: a.retries + b.retries,
  };
}

async function request(target: UploadTarget, dataset: Dataset, batch: readonly Line[]): Promise<Attempt> {
  const { path, field } = ENDPOINTS[dataset];
  const url = `${target.url}${path}`;
  let answer: Awaited<ReturnType<typeof post>>;
  try {
    answer = await post(target, url, JSON.stringify({ [field]: batch.map(({ record }) => record) }));
  } catch (error) {
    return { kind: "later", reason: `${url}: ${connectionProblem(error)}`, afterMs: 0 };
  }
  const { status, text, retryAfter } = answer;
  const parsed = v.safeParse(Answer, parseJson(text));
  // A 400 with a result for each record means that none was accepted.
  if ((status === 200 || status === 400) && parsed.success) return { kind: "answered", answer: parsed.output };
  if (status === 413) return { kind: "too-large" };
  if (PASSING.includes(status)) {
    const seconds = Number(retryAfter ?? 0);
    const afterMs = Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : 0;
    return { kind: "later", reason: `${url} answered ${status}: ${messageOf(text)}`, afterMs };
  }
  throw new UploadError(refusal(url, status, text), true);
}

async function post({ apiKey }: UploadTarget, url: string, body: string) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body,
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text: await response.text() };
}

function refusal(url: string, status: number, text: string): string {
  const shown = messageOf(text);
  if (status === 403)
    return `${url} refuses the API key (403: ${shown}): \`relevance info\` prints the key that is in use`;
  if (status === 400) return `${url} refuses the request: ${shown}`;
  return (
    `${url} answered ${status}, which the recommendation service does not: ${shown}\n` +
    "The API host is the recommendation API's URL as `relevance info` prints it, with its stage"
  );
}

const Failed = v.object({ error: v.object({ message: v.string() }) });

/** Returns the service's error message, or the start of any other body. */
function messageOf(text: string): string {
  const parsed = v.safeParse(Failed, parseJson(text));
  if (parsed.success) return parsed.output.error.message;
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "no content";
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${REQUEST_MS / 1_000} s`;
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
