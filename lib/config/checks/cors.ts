import { type Check, noneTwice } from "./drafts.ts";

/** Checks that origins are listed once, and that `*` is listed alone. */
export const checkCors: Check = ({ api }, report) => {
  const origins = api?.cors?.allow_origins;
  noneTwice(report, "api", ["cors", "allow_origins"], origins);
  if (origins !== undefined && origins.length > 1 && origins.includes("*")) {
    report("api", ["cors", "allow_origins"], 'must be "*" alone, or origins without it');
  }
};
