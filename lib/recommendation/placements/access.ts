import { type KeyRules, requireListed } from "../../platform/http/access.ts";

/** Throws `forbidden` unless a key with `placements` asks for one of them. `name` is undefined for a request of its own. */
export const requirePlacement = (caller: KeyRules, name: string | undefined): void =>
  requireListed(caller, "placement", name);
