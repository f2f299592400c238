import { isObject } from "../../platform/json/values.ts";

/**
 * Returns the reason if a response processor leaves out hits of a page: then a short page is not the end of the list, and no
 * window and no later page is known.
 */
export function droppingReason(processors: readonly unknown[]): string | undefined {
  const [name] =
    processors
      .flatMap((one) => (isObject(one) ? Object.entries(one) : []))
      .find(
        ([name, how]) => name === "collapse" || (name === "truncate_hits" && isObject(how) && "target_size" in how),
      ) ?? [];
  return name && `the search pipeline leaves out hits of each page (${name})`;
}
