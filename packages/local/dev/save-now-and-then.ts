/** Interval between checks for new data. */
const EVERY_MS = 60_000;

/** Options of the periodic save. */
export interface SaverOptions {
  /** Saves what has changed, or at the end everything. */
  save: (isLast: boolean) => Promise<void>;
  /** Called with a message if saving fails. */
  say: (line: string) => void;
  everyMs?: number;
}

/** Tracks whether there is new data and saves it. */
export interface Saver {
  /** Marks that there is new data. Never blocks and never throws. */
  note(): void;
  /** Saves one last time and stops. Does not throw, so as not to hide the reason for the shutdown. */
  stop(): Promise<void>;
}

/** Saves periodically if there is new data. The last save is unconditional: training writes data without a request. */
export function saveNowAndThen({ save, say, everyMs = EVERY_MS }: SaverOptions): Saver {
  let isNew = false;
  const trySaving = async (isLast: boolean) => {
    try {
      isNew = false;
      await save(isLast);
    } catch (error) {
      isNew = true;
      say(`the recommendation service's data could not be saved: ${(error as Error).message}; the last save is kept`);
    }
  };
  const timer = setInterval(() => isNew && trySaving(false), everyMs);
  timer.unref();
  return {
    note: () => {
      isNew = true;
    },
    stop() {
      clearInterval(timer);
      return trySaving(true);
    },
  };
}
