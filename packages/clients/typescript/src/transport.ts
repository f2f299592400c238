import { ConnectionError, errorOf, type RelevanceError } from "./errors.ts";

export interface Options {
  /** The address that `make dev`, `deploy` and `relevance info` print, for one of the two APIs. */
  url: string;
  /** The API key. */
  key: string;
  /** How often a call is repeated that can be repeated safely. Default: 3. */
  retries?: number;
  /** The longest that one attempt may take, in milliseconds. Default: 35,000, as API Gateway waits 29 s. */
  timeoutMs?: number;
  /** Sent with each request: for example `x-client-id`, the browser or device that searches. */
  headers?: Readonly<Record<string, string>>;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Replaces the pause before a repeated attempt. */
  pause?: (ms: number) => Promise<void>;
}

export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** Sent with this request. */
  headers?: Readonly<Record<string, string>>;
}

/** A call of the API. */
export interface Call extends CallOptions {
  method: string;
  path: string;
  /** The body as JSON text. */
  body?: string;
  contentType?: string;
  /**
   * Whether the call changes nothing that a second one would change again. Others are repeated only if the service says
   * that nothing was done.
   */
  safe: boolean;
}

/** An answer below status 400. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Milliseconds of the attempt that was answered. */
  milliseconds: number;
}

/** Codes whose contract says that nothing was done. */
const NOTHING_DONE: readonly string[] = ["throttled", "upstream_failed", "upstream_unavailable", "timeout"];

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Makes calls and repeats the safe ones: after 429, 502, 503 and 504, as nothing was done, and a read also if its answer was
 * lost. It waits as long as `retry-after` says, or twice as long each time.
 */
export class Transport {
  readonly #options: Options;
  readonly #url: string;

  constructor(options: Options) {
    this.#options = options;
    this.#url = options.url.replace(/\/+$/, "");
  }

  /** Returns the answer. Throws RelevanceError if the service refuses, ConnectionError if it does not answer. */
  async call(call: Call): Promise<Answer> {
    const { retries = 3, pause = sleep } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        if (attempt >= retries || call.signal?.aborted || !mayRepeat(error, call.safe)) throw error;
        await pause(pauseMs(error, attempt));
      }
    }
  }

  async #attempt({ method, path, body, contentType, headers, signal }: Call): Promise<Answer> {
    const { key, timeoutMs = 35_000, fetch: send = fetch, headers: always } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    const started = performance.now();
    let response: Response;
    let text: string;
    try {
      response = await send(`${this.#url}${path}`, {
        method,
        headers: {
          "x-api-key": key,
          ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
          ...always,
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      text = await response.text();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const reason = limit.aborted ? `no answer within ${timeoutMs} ms` : causeOf(error);
      throw new ConnectionError(`${method} ${path}: ${reason}`, { cause: error });
    }
    const { status, headers: received } = response;
    if (status < 400) return { status, headers: received, text, milliseconds: performance.now() - started };
    throw errorOf(status, parsed(text), received);
  }
}

function mayRepeat(error: unknown, safe: boolean): boolean {
  if (error instanceof ConnectionError) return safe;
  const { code } = error as Partial<RelevanceError>;
  if (code === undefined) return false;
  return NOTHING_DONE.includes(code) || (safe && code === "outcome_unknown");
}

function pauseMs(error: unknown, attempt: number): number {
  const { retryAfter } = error as Partial<RelevanceError>;
  if (retryAfter !== undefined) return Math.min(retryAfter * 1_000, LONGEST_PAUSE_MS);
  // A part of the pause is random, so that clients which failed together do not come back together.
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  // An error of several addresses has no message, but the code of the first.
  return `${message}: ${cause.message || ((cause as { code?: string }).code ?? cause.name)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
