/**
 * Milliseconds of computation between pauses: long enough to be cheap, short enough that other requests see no delay.
 */
const SLICE_MS = 15;

/**
 * Returns a function that lets a long computation yield: call it often and await the promise that it may return.
 * Otherwise a training would block every other request to the local stack, which shares this process.
 */
export function pacer(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}
