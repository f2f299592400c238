import { DEFAULT_LIMITS, type KeyRules } from "../../platform/http/access.ts";
import type { Grant } from "./names.ts";

/** Limits of a key. Missing ones do not apply. */
export type KeyLimits = NonNullable<KeyRules["limits"]>;

/** The rights of a key for requests to the cluster. */
export interface Rights {
  grant: Grant;
  scripts: boolean;
  limits: KeyLimits;
  /** Whether the key is limited: its `raw_backend` is not `all`. */
  limited: boolean;
  /** Whether a token's filter limits the documents. Then no part of a search may read others. */
  isFiltered?: true;
}

/** Returns the rights of a key. By default, a limited key has the default limits and no scripts. */
export function rightsOf({
  indexes,
  raw_backend,
  scripts,
  limits,
  token,
}: Pick<KeyRules, "indexes" | "raw_backend" | "scripts" | "limits" | "token">): Rights {
  const limited = raw_backend !== "all";
  return {
    grant: indexes,
    limited,
    scripts: scripts ?? !limited,
    ...(token?.filters && { isFiltered: true }),
    limits: limited ? { ...DEFAULT_LIMITS, ...limits } : (limits ?? {}),
  };
}
