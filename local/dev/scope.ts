/** What was started, to be stopped in the opposite order. */
export interface Scope {
  /** Adds what has to be stopped. When the scope is closed already it is stopped at once. */
  add(stop: () => unknown): void;
  /** Stops everything; the first error is thrown after all was tried. Repeatable. */
  close(): Promise<void>;
  readonly closed: boolean;
}

export function createScope(): Scope {
  const stops: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;

  const closeAll = async () => {
    const errors: unknown[] = [];
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      try {
        await stop();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  };

  return {
    add(stop) {
      stops.push(stop);
      // It came up while everything else went down.
      if (closing) closing = closing.then(closeAll);
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
    get closed() {
      return closing !== undefined;
    },
  };
}
