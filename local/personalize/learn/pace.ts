/** Long enough to be cheap, short enough that other requests of the process do not wait noticeably. */
const SLICE_MS = 15;

/**
 * Lets a long computation give way: call it often, and await what it returns. Without it training would hold up every
 * other request to the local stack, which shares this process.
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
