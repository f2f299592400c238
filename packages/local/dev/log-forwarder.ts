/** CloudWatch Logs limits the bytes of one PutLogEvents. Each event counts 26 bytes in addition to its text. */
const MAX_BATCH_BYTES = 1_048_576;
const EVENT_BYTES = 26;
/** Lines that are queued while a batch is being sent or the endpoint is down. Above this the oldest are dropped. */
const MAX_WAITING = 20_000;
/** Delay from the first line of a batch until it is sent. Each batch runs log-handler once. */
const DELAY_MS = 500;

export interface ForwarderOptions {
  put: (lines: readonly string[]) => Promise<void>;
  /** Called at the first failure, and again only after a batch has succeeded in between. */
  say: (line: string) => void;
  delayMs?: number;
}

export interface LogForwarder {
  /** Queues a line. Never blocks and never throws. */
  add(line: string): void;
  /** Sends the queued lines and stops. */
  stop(): Promise<void>;
}

/** Sends lines in batches, one at a time and in order. A batch that fails twice is dropped. */
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
      if (!failing) say(`request log lines could not be stored (searches keep working): ${(error as Error).message}`);
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
