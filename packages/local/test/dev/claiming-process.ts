/** Claims the folder of each message at the given time, as `make dev` does, and reports whether it got it. */
import { setTimeout as sleep } from "node:timers/promises";
import { LocalError } from "@relevance/processes/error.ts";
import { claimFolder } from "../../dev/state-file.ts";

export interface ClaimOrder {
  dir: string;
  /** Milliseconds since 1970. */
  at: number;
}

let release = () => {};

process.on("message", async (order: ClaimOrder | "release") => {
  if (order === "release") {
    release();
    process.send?.("released");
    return;
  }
  await sleep(Math.max(0, order.at - Date.now() - 2));
  // Waits in a loop, so that all processes claim within microseconds of one another.
  while (Date.now() < order.at);
  try {
    ({ release } = claimFolder(order.dir));
    process.send?.("claimed");
  } catch (error) {
    release = () => {};
    process.send?.(error instanceof LocalError ? "refused" : String(error));
  }
});
