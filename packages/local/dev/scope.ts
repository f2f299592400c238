/** Collects started resources and stops them in reverse order. */
export interface Scope {
  /** Adds a stop function. If the scope is already closed, it is called immediately. */
  add(stop: () => unknown): void;
  /** Stops everything, then throws the first error. Safe to call repeatedly. */
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
      // The resource started while the others were being stopped.
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
