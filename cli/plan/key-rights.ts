import {
  DEFAULT_LIMITS,
  describeKey,
  type Endpoint,
  endpointsThat,
  type KeyRules,
  type Limits,
  UNLIMITED,
} from "../../lib/platform/http/access.ts";
import { rightsOf as sentRights } from "../../lib/search/access/rights.ts";
import { accessSettings } from "../../lib/settings/access.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";

/** The rights of a key, with every default filled in. */
export interface Rights
  extends Pick<
    KeyRules,
    "name" | "endpoints" | "indexes" | "principals" | "templates" | "placements" | "user_history"
  > {
  raw_backend: NonNullable<KeyRules["raw_backend"]>;
  scripts: boolean;
  /** Limits that are missing here do not exist. */
  limits: NonNullable<KeyRules["limits"]>;
}

/** Returns the rights of each key of a configuration. */
export function rightsOf({ api }: Pick<Configuration, "api">): Rights[] {
  return (accessSettings(api, { tokenSecret: String }).keys ?? [UNLIMITED]).map((key) => {
    const { raw_backend = ["recommended"], indexes } = key;
    const { scripts, limits } = sentRights(key);
    return { ...key, raw_backend: indexes ? ["recommended"] : raw_backend, scripts, limits };
  });
}

/**
 * Describes what each deployed key loses and gains, one line a key, and names new keys. Without a search gateway, rights
 * on the cluster mean nothing.
 */
export function rightsNotes(
  before: readonly Rights[],
  after: readonly Rights[],
  { gateway }: { gateway: boolean },
): string[] {
  const planned = new Map(after.map((key) => [key.name, key]));
  const deployed = new Set(before.map(({ name }) => name));
  return [
    ...before.flatMap((old) => {
      const key = planned.get(old.name);
      const changes = key
        ? [...callChanges(old, key), ...(gateway ? clusterChanges(old, key) : [])]
        : ["may no longer call anything: it is no longer in keys"];
      return changes.length === 0 ? [] : [`Key ${old.name}: ${changes.join("; ")}`];
    }),
    ...after.flatMap((key) => (deployed.has(key.name) ? [] : [`Key ${key.name}: new, may call ${describeKey(key)}`])),
  ];
}

/** Endpoints that reach the cluster with what a key sends. */
const CLUSTER_ENDPOINTS = endpointsThat(({ reachesCluster }) => reachesCluster);

function* callChanges(before: Rights, after: Rights): Generator<string> {
  const endpoints = compared(before.endpoints, after.endpoints, coversEndpoint);
  if (endpoints.lost.length > 0) yield `may no longer call ${endpoints.lost.join(", ")}`;
  if (endpoints.gained.length > 0) yield `may also call ${endpoints.gained.join(", ")}`;
  const callers = compared(before.principals ?? [], after.principals ?? []);
  if (callers.lost.length > 0) yield `is no longer for ${callers.lost.join(", ")}`;
  if (callers.gained.length > 0) yield `is also for ${callers.gained.join(", ")}`;
  if (before.endpoints.includes("recommend") && after.endpoints.includes("recommend")) {
    yield* listChanges(before.placements, after.placements, {
      every: "may ask for any recommendations",
      only: (names) => `may only ask for the placements ${names}`,
      lost: (names) => `may no longer ask for the placements ${names}`,
      gained: (names) => `may also ask for the placements ${names}`,
    });
    if (!before.user_history !== !after.user_history) {
      yield after.user_history ? "may be told what any user did" : "may no longer be told what users did";
    }
  }
}

function* clusterChanges(before: Rights, after: Rights): Generator<string> {
  // What a key may do at an endpoint says nothing about a key that cannot call it.
  const both = (endpoint: Endpoint) => before.endpoints.includes(endpoint) && after.endpoints.includes(endpoint);
  if (!CLUSTER_ENDPOINTS.some(both)) return;
  yield* listChanges(before.indexes, after.indexes, {
    covers: coversIndex,
    every: "may use every index",
    only: (names) => `may only use the indexes ${names}`,
    lost: (names) => `may no longer use the indexes ${names}`,
    gained: (names) => `may also use the indexes ${names}`,
  });
  if (both("raw-backend")) {
    const calls = ({ raw_backend }: Rights) => (raw_backend === "all" ? undefined : raw_backend.map(shownCall));
    yield* listChanges(calls(before), calls(after), {
      every: "may make every call of /raw-backend",
      only: (names) => `may only make these calls of /raw-backend: ${names}`,
      lost: (names) => `may no longer make these calls of /raw-backend: ${names}`,
      gained: (names) => `may also make these calls of /raw-backend: ${names}`,
    });
  }
  if (before.scripts !== after.scripts) yield after.scripts ? "may send scripts" : "may no longer send scripts";
  if (both("search") || both("hybrid-search")) {
    yield* listChanges(before.templates, after.templates, {
      every: "may send searches of its own",
      only: (names) => `may only search with the templates ${names}`,
      lost: (names) => `may no longer search with the templates ${names}`,
      gained: (names) => `may also search with the templates ${names}`,
    });
  }
  yield* limitChanges(before.limits, after.limits);
}

/** How the change of a list reads. Without the list, everything is allowed. */
interface ListWords {
  covers?: (wide: string, narrow: string) => boolean;
  every: string;
  only: (names: string) => string;
  lost: (names: string) => string;
  gained: (names: string) => string;
}

function* listChanges(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  { covers, every, only, lost, gained }: ListWords,
): Generator<string> {
  if (before === undefined && after === undefined) return;
  if (after === undefined) yield every;
  else if (before === undefined) yield only(after.join(", "));
  else {
    const changes = compared(before, after, covers);
    if (changes.lost.length > 0) yield lost(changes.lost.join(", "));
    if (changes.gained.length > 0) yield gained(changes.gained.join(", "));
  }
}

function* limitChanges(before: Rights["limits"], after: Rights["limits"]): Generator<string> {
  const shrunk: string[] = [];
  const grown: string[] = [];
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    const [old = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY] = [before[name], after[name]];
    if (old !== limit) (limit < old ? shrunk : grown).push(`${name} ${shownLimit(old)} → ${shownLimit(limit)}`);
  }
  if (shrunk.length > 0) yield `lower limits: ${shrunk.join(", ")}`;
  if (grown.length > 0) yield `higher limits: ${grown.join(", ")}`;
}

const shownLimit = (limit: number) => (Number.isFinite(limit) ? String(limit) : "none");
const shownCall = (rule: string) => (rule === "recommended" ? "the recommended ones" : rule);

function compared<T extends string>(
  before: readonly T[],
  after: readonly T[],
  covers: (wide: T, narrow: T) => boolean = (wide, narrow) => wide === narrow,
): { lost: T[]; gained: T[] } {
  const missing = (these: readonly T[], there: readonly T[]) =>
    these.filter((one) => !there.some((other) => covers(other, one)));
  return { lost: missing(before, after), gained: missing(after, before) };
}

/** `ingest` includes /log-event, which is all that `events` is. */
const coversEndpoint = (wide: Endpoint, narrow: Endpoint) =>
  wide === narrow || (wide === "ingest" && narrow === "events");

const coversIndex = (wide: string, narrow: string) =>
  wide === narrow || (wide.endsWith("*") && narrow.startsWith(wide.slice(0, -1)));
