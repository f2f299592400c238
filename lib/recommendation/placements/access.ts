import { type KeyRules, requireListed } from "../../platform/http/access.ts";

/**
 * Throws `forbidden` if a key with `placements` requests any other placement. `name` is undefined for a request without
 * a placement.
 */
export const requirePlacement = (caller: KeyRules, name: string | undefined): void =>
  requireListed(caller, "placement", name);
