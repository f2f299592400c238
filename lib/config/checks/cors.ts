import { type Check, uniqueBy } from "./drafts.ts";

/** Checks that origins are listed once, and that `*` is listed alone. */
export const checkCors: Check = ({ api }, report) => {
  const origins = api?.cors?.allow_origins;
  uniqueBy(
    origins,
    (origin) => origin,
    (index, origin) => report("api", ["cors", "allow_origins", index], `"${origin}" appears twice`),
  );
  if (origins !== undefined && origins.length > 1 && origins.includes("*")) {
    report("api", ["cors", "allow_origins"], 'must be "*" alone, or origins without it');
  }
};
