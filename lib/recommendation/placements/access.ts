import { forbidden, type KeyRules, words } from "../../platform/http/access.ts";

/**
 * Checks what a key with `placements` asks for: one of its placements. `name` is undefined for a request of the caller's
 * own. Throws `forbidden`, whether another placement exists or not.
 */
export function requirePlacement(caller: KeyRules, name: string | undefined): void {
  const { placements } = caller;
  if (!placements || (name !== undefined && placements.includes(name))) return;
  const which = placements.length === 1 ? "the placement" : "the placements";
  throw forbidden(caller, "placement", `it may only ask for ${which} ${words(placements)}`);
}
