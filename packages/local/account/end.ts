/** Ends the local account and deletes its data: `make clean`. */
import { LocalError } from "@relevance/processes/error.ts";
import { endAccount, placeIn } from "./place.ts";

try {
  const pid = await endAccount(placeIn(".local"));
  if (pid !== undefined) console.log(`ended the local account (process ${pid})`);
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
