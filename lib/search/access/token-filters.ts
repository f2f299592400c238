import type { KeyRules } from "../../platform/http/access.ts";
import { requireAllowed } from "./names.ts";
import { queryRefusal } from "./query.ts";
import { rightsOf } from "./rights.ts";

/**
 * Returns the filters of a caller's token, which every document that it sees matches. Throws `forbidden` if they have
 * what the caller may not send.
 */
export function tokenFilters(caller: KeyRules): readonly unknown[] {
  const { filters = [] } = caller.token ?? {};
  requireAllowed(caller, queryRefusal(filters, rightsOf(caller)));
  return filters;
}
