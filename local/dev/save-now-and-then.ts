/** Between two looks whether there is something to save. */
const EVERY_MS = 60_000;

/** What is saved, and how often. */
export interface SaverOptions {
  save: () => Promise<void>;
  /** Told about a failure. */
  say: (line: string) => void;
  everyMs?: number;
}

/** Knows whether there is something to save. */
export interface Saver {
  /** There is something new; never waits, never throws. */
  note(): void;
  /** Saves a last time and ends. Does not throw: what made everything stop matters more than this. */
  stop(): Promise<void>;
}

/** Saves now and then while something is new, and once at the end, new or not: training writes without a request. */
export function saveNowAndThen({ save, say, everyMs = EVERY_MS }: SaverOptions): Saver {
  let isNew = false;
  const trySaving = async () => {
    try {
      isNew = false;
      await save();
    } catch (error) {
      isNew = true;
      say(
        `what the recommendation service has could not be saved: ${(error as Error).message}; what was saved before stays`,
      );
    }
  };
  const timer = setInterval(() => isNew && trySaving(), everyMs);
  timer.unref();
  return {
    note: () => {
      isNew = true;
    },
    stop() {
      clearInterval(timer);
      return trySaving();
    },
  };
}
