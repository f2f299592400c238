import { type Check, noneTwice } from "./drafts.ts";

/** Checks that no two keys have the same name. */
export const checkKeys: Check = ({ api }, report) => noneTwice(report, "api", ["keys"], api?.keys, "name");
