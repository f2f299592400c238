import { forbidden, type KeyRules } from "../../platform/http/access.ts";
import { plainName } from "../resolve/expression.ts";

/** The rules that refuse a call. Responses name the rule; docs/reference/refusals.md explains each. */
export type Rule =
  | "endpoint"
  | "deny"
  | "dot-index"
  | "index"
  | "every-index"
  | "wildcard"
  | "date-math"
  | "name"
  | "hidden"
  | "parameter"
  | "content-type"
  | "body"
  | "alias"
  | "setting"
  | "analysis"
  | "script"
  | "limit"
  | "remote"
  | "template"
  | "pipeline"
  | "token"
  | "open-search"
  | "task";

/** Why a call is refused. */
export interface Refusal {
  rule: Rule;
  /** The rest of the sentence "… is refused: <reason>". */
  reason: string;
}

export const refusal = (rule: Rule, reason: string): Refusal => ({ rule, reason });

/** Quotes a caller's text for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/** Returns the first refusal among checks, which run one after another. */
export function firstOf<Item>(items: Iterable<Item>, check: (item: Item) => Refusal | undefined): Refusal | undefined {
  for (const item of items) {
    const found = check(item);
    if (found) return found;
  }
  return undefined;
}

/** Index patterns of a key. Undefined: every index whose name does not start with a dot. Null: every index. */
export type Grant = readonly string[] | undefined | null;

/** The characters of a name. Excludes those that the cluster refuses, `%`, and those that expressions are made of. */
const NAME = /^[^\s\\/*?"<>|#,:%{}\p{Cc}]+$/u;

/** The same characters plus the wildcard. */
const PATTERN = /^[^\s\\/?"<>|#,:%{}\p{Cc}]+$/u;

/** Accepted date math: a prefix, one date whose format consists of plain letters, and a suffix. */
const DATE_MATH =
  /^<(?<start>[^\s\\/*?"<>|#,:%{}\p{Cc}]+)\{now(?:[-+]\d+[yMwdhHms]|\/[yMwdhHms])*(?:\{[yYuMdDHhmsSwe._-]+(?:\|[-+]\d\d:\d\d)?\})?\}[^\s\\/*?"<>|#,:%{}\p{Cc}]*>$/u;

/** Date math with a literal prefix. */
const ANY_DATE_MATH = /^<(?<start>[^\s\\/*?"<>|#,:%{}\p{Cc}]+)\{.*>$/u;

export interface NameOptions {
  /** Whether `*` is accepted: only where the call reads. */
  wildcards: boolean;
  /** Does not check characters: the cluster refuses invalid names. For endpoints that send nothing but a name. */
  lenient?: boolean;
  /** Whether names of remote clusters (`other:products`) are accepted. */
  remote?: boolean;
}

/**
 * Returns why an index expression is refused: a comma-separated list of names, wildcards, date math and exclusions,
 * parsed like the cluster does. A key without index patterns may use anything that cannot match a name with a leading
 * dot; a leading wildcard can match one, unless `-.*` follows. A key with patterns may use only names that certainly
 * stay within them.
 */
export function namesRefusal(
  expression: string,
  grant: Grant,
  { wildcards, lenient = false, remote = false }: NameOptions,
): Refusal | undefined {
  if (grant === null) return undefined;
  let afterWildcard = false;
  let reachesDots = false;
  for (const part of expression.split(",")) {
    if (part === "") return everyIndex(expression);
    // The cluster treats a leading minus as an exclusion only after a wildcard.
    const excluded = afterWildcard && part.startsWith("-");
    const text = excluded ? part.slice(1) : part;
    if (excluded && text === ".*") {
      reachesDots = false;
      continue;
    }
    const decoded = decodedName(text, wildcards && grant === undefined);
    if ("rule" in decoded) return decoded;
    const { name, open } = decoded;
    // Also `<_all>`: the cluster decodes date math first.
    if (name === "" || name === "_all") return everyIndex(expression);
    const wildcard = name.includes("*");
    // The time zone of date math may hold a colon.
    const elsewhere = !open && name.includes(":");
    const wrong =
      dotRefusal(name, text) ??
      (elsewhere ? remoteRefusal(name, text, remote) : undefined) ??
      (lenient ? undefined : nameRefusal(name, text));
    if (wrong) return wrong;
    if (wildcard && !wildcards) return refusal("wildcard", `${shown(text)} holds a wildcard; name the indexes`);
    // A wildcard of a remote cluster neither matches local indexes, nor turns the next part into an exclusion.
    if (elsewhere) continue;
    afterWildcard ||= wildcard;
    // Excluding by a wildcard only narrows the list. Excluding a name reveals whether it exists.
    if (excluded && wildcard) continue;
    if (grant !== undefined && !isGranted(grant, name, open || wildcard)) {
      return refusal("index", `${shown(text)} is outside its indexes`);
    }
    reachesDots ||= name.startsWith("*");
  }
  if (!reachesDots) return undefined;
  return refusal("dot-index", `${shown(expression)} includes indexes whose name starts with a dot; append ,-.*`);
}

const everyIndex = (expression: string) => refusal("every-index", `${shown(expression)} means every index; name them`);

/** Returns why a name with a leading dot is refused. The name of a remote cluster may precede the index name. */
function dotRefusal(name: string, text: string): Refusal | undefined {
  return /(^|:)\./.test(name) ? refusal("dot-index", `the name ${shown(text)} starts with a dot`) : undefined;
}

/**
 * A remote name that cannot match a dot name: it is neither every index, nor a dot name, nor an expression that only
 * the remote cluster decodes.
 */
const BOUNDED_REMOTE = /^[^:]+(:(?!_all$)[^:.*<+-][^:<]*)+$/;

/**
 * Returns why a name of a remote cluster is refused. A remote cluster may be this one under another name. So only
 * unlimited keys may use remote names, and only for indexes whose name cannot start with a dot.
 */
function remoteRefusal(name: string, text: string, remote: boolean): Refusal | undefined {
  if (!remote) return refusal("remote", `${shown(text)} names an index of another cluster`);
  if (BOUNDED_REMOTE.test(name)) return undefined;
  return refusal("dot-index", `${shown(text)} includes indexes whose name starts with a dot; name the indexes`);
}

function nameRefusal(name: string, text: string): Refusal | undefined {
  return /^[-_+]/.test(name) || !PATTERN.test(name) ? refusal("name", `${shown(text)} is not a name`) : undefined;
}

/**
 * Returns the name of one part. For date math, returns its literal prefix, marked as `open` because anything may
 * follow. `anyDate` accepts date formats with quoted text, which can even be a wildcard.
 */
function decodedName(text: string, anyDate: boolean): { name: string; open: boolean } | Refusal {
  if (!text.startsWith("<")) return { name: text, open: false };
  const start = (anyDate ? ANY_DATE_MATH : DATE_MATH).exec(text)?.groups?.start;
  if (start !== undefined) return { name: start, open: true };
  // The date format may contain a wildcard.
  const plain = plainName(text);
  if (plain !== text) return { name: plain, open: false };
  return refusal("date-math", `${shown(text)} is date math that the gateway does not understand`);
}

/** Returns whether index patterns cover a name or, if `open`, every name with this prefix. */
function isGranted(grant: readonly string[], name: string, open: boolean): boolean {
  const certain = name.split("*", 1)[0] ?? "";
  return grant.some((pattern) =>
    pattern.endsWith("*") ? certain.startsWith(pattern.slice(0, -1)) : !open && name === pattern,
  );
}

/** Returns why a value that names indexes, such as `_index` in a body, is refused. The value may be a list. */
export function valueRefusal(value: unknown, grant: Grant, options: NameOptions): Refusal | undefined {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0) return refusal("every-index", "an empty list means every index");
  for (const one of values) {
    if (typeof one !== "string") return refusal("body", "an index is not given as text");
    const found = namesRefusal(one, grant, options);
    if (found) return found;
  }
  return undefined;
}

/** Returns why the name of a new alias is refused. */
export function aliasRefusal(name: string): Refusal | undefined {
  return NAME.test(name) && !/^[-_+.]/.test(name) ? undefined : namesRefusal(name, undefined, { wildcards: false });
}

/** Throws `forbidden` unless a key may use the one index, alias or data stream of a name. */
export function requireIndex(key: KeyRules, index: string): void {
  requireAllowed(key, namesRefusal(index, key.indexes, { ...ownOptions(key), wildcards: false }));
}

/** Returns the name options of the gateway's own endpoints. */
export const ownOptions = ({ indexes, raw_backend }: KeyRules): Omit<NameOptions, "wildcards"> => ({
  lenient: indexes === undefined,
  remote: indexes === undefined && raw_backend === "all",
});

/** Throws `forbidden` if there is a refusal. */
export function requireAllowed(key: KeyRules, found: Refusal | undefined): void {
  if (found) throw forbidden(key, found.rule, found.reason);
}
