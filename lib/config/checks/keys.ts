import { type Check, uniqueBy } from "./drafts.ts";

/** Checks that no two keys have the same name. */
export const checkKeys: Check = ({ api }, report) => {
  uniqueBy(
    api?.keys,
    ({ name }) => name,
    (index, name) => report("api", ["keys", index, "name"], `"${name}" appears twice`),
  );
};
