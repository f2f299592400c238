/** CloudWatch Logs: bytes of a PutLogEvents, 26 of them for each event beside its text. */
const MAX_BATCH_BYTES = 1_048_576;
const EVENT_BYTES = 26;
/** Lines that wait while a batch is on its way or the endpoint is down; then the oldest are dropped. */
const MAX_WAITING = 20_000;
/** Between the first line of a batch and its sending: a batch runs log-handler once. */
const DELAY_MS = 500;

export interface ForwarderOptions {
  put: (lines: readonly string[]) => Promise<void>;
  /** Told once about a failure, until a batch succeeds again. */
  say: (line: string) => void;
  delayMs?: number;
}

export interface LogForwarder {
  /** Takes a line; never waits, never throws. */
  add(line: string): void;
  /** Sends what is there and ends. */
  stop(): Promise<void>;
}

/** Sends lines in batches, one batch at a time, in their order. A batch that fails twice is dropped. */
export function createForwarder({ put, say, delayMs = DELAY_MS }: ForwarderOptions): LogForwarder {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let failing = false;

  const send = async (batch: readonly string[]) => {
    try {
      await put(batch).catch(() => put(batch));
      failing = false;
    } catch (error) {
      if (!failing) say(`request log lines could not be stored (searches go on): ${(error as Error).message}`);
      failing = true;
    }
  };
  const drain = async () => {
    while (waiting.length > 0) await send(take());
  };
  const take = () => {
    let bytes = 0;
    const over = waiting.findIndex((line) => {
      bytes += Buffer.byteLength(line) + EVENT_BYTES;
      return bytes > MAX_BATCH_BYTES;
    });
    const count = over === -1 ? waiting.length : Math.max(1, over);
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };
  const flush = () => {
    timer = undefined;
    sending ??= drain().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    add(line) {
      if (waiting.length >= MAX_WAITING) waiting = waiting.slice(MAX_WAITING / 2);
      waiting.push(line);
      if (!timer && !sending) timer = setTimeout(flush, delayMs);
    },
    async stop() {
      clearTimeout(timer);
      await flush();
    },
  };
}
