import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIGURED_RULES } from "@relevance/lib/search/rules/configured.ts";
import { parseRules } from "@relevance/lib/search/rules/document.ts";
import { CONFIGURED_SYNONYMS } from "@relevance/lib/search/synonyms/configured.ts";
import type { SynonymLists } from "@relevance/lib/search/synonyms/document.ts";
import { SYNONYM_FILE } from "@relevance/lib/settings/page-stages.ts";
import { HYBRID_SEARCH } from "@relevance/lib/settings/parse.ts";
import type { Rule } from "@relevance/lib/settings/rules.ts";
import { Variety } from "@relevance/lib/settings/stage-values.ts";
import { parseSynonymFile } from "@relevance/lib/settings/synonym-files.ts";
import { isLocaleOf } from "@relevance/lib/settings/synonyms.ts";
import * as v from "valibot";
import { parse } from "yaml";
import { withEntryKeys } from "../tuning/write-settings.ts";
import type { MerchandiseKind } from "./merchandise.ts";
import { ConsoleError } from "./problem.ts";
import { rulesIn, type WrittenRule, withRules, writtenRule } from "./rules-file.ts";
import { withSynonyms } from "./synonyms-file.ts";

const RULES_FILE = "rules.yaml";

/** Returns whether a configuration has a list of rules, without which the gateway reads none. */
export function hasRules(conf: string): boolean {
  const file = join(conf, RULES_FILE);
  return existsSync(file) && /^rules\s*:/m.test(readFileSync(file, "utf8"));
}

/** A rule to write in place of the one of this name; null takes it away. An empty name adds it. */
const RuleChange = v.strictObject({
  name: v.string(),
  rule: v.nullable(v.record(v.string(), v.unknown())),
});
export type RuleChange = v.InferOutput<typeof RuleChange>;

/** Rules as the page shows them. */
export interface RulesState {
  /** Those of rules.yaml, or null if it has no list. */
  rules: WrittenRule[] | null;
  /** Those in use that rules.yaml does not have so. */
  others: WrittenRule[];
}

/** The rules of rules.yaml. */
export const RULES_PLACE: MerchandiseKind<RuleChange, RulesState, readonly Rule[]> = {
  ...{ document: CONFIGURED_RULES, change: RuleChange, drafts: true },
  fileOf: () => RULES_FILE,
  changed(text, { name, rule }) {
    const rules = rulesIn(text) ?? [];
    const at = rules.findIndex((one) => one.name === name);
    if (name !== "" && at < 0) throw new ConsoleError(409, "changed", `rules.yaml has no rule ${name} any more`);
    const next = at < 0 ? rules : rules.toSpliced(at, 1, ...(rule ? [rule] : []));
    const after = withRules(text, at < 0 && rule ? [...rules, rule] : next);
    if (after !== undefined) return after;
    const advice = "write `rules: []` into it, and run `relevance deploy` once, which lets the gateway read rules";
    throw new ConsoleError(409, "no_rules", `rules.yaml has no list of rules: ${advice}`);
  },
  stateOf(read, _, inUse) {
    const rules = rulesIn(read(RULES_FILE) ?? "") ?? null;
    const written = new Set((rules ?? []).map((rule) => JSON.stringify(completed(rule))));
    const others = (inUse ?? []).filter((rule) => !written.has(JSON.stringify(rule)));
    return { rules, others: others.map(writtenRule) };
  },
  pending(read, _, inUse) {
    const known = new Set(inUse.map((rule) => JSON.stringify(rule)));
    const rules = rulesIn(read(RULES_FILE) ?? "") ?? [];
    return rules.every((rule) => known.has(JSON.stringify(completed(rule)))) ? [] : [RULES_FILE];
  },
  restored(read, inUse) {
    const after = withRules(read(RULES_FILE) ?? "", inUse.map(writtenRule));
    return new Map(after === undefined ? [] : [[RULES_FILE, after]]);
  },
  settingOf: () => ({ rule_set: "draft" }),
};

function completed(rule: WrittenRule): unknown {
  try {
    return parseRules({ rules: [rule] })[0];
  } catch {
    // It is not valid: the linter says so.
    return rule;
  }
}

/** A rule in Solr's form to write into a file in place of another one; null takes that away, and an empty one adds it. */
const SynonymChange = v.strictObject({
  // The server writes this file, so it must not be another one.
  file: v.pipe(v.string(), v.regex(SYNONYM_FILE, "must be a file of synonyms in the configuration folder")),
  before: v.string(),
  after: v.nullable(v.pipe(v.string(), v.trim(), v.nonEmpty("must not be empty"))),
});
export type SynonymChange = v.InferOutput<typeof SynonymChange>;

/** Synonyms as the page shows them. */
export interface SynonymsState {
  files: { file: string; rules: string[] /** Rules that are not in use yet. */; pending: string[] }[];
}

/** The files of synonyms that hybrid_search.yaml names. */
export const SYNONYMS_PLACE: MerchandiseKind<SynonymChange, SynonymsState, SynonymLists> = {
  ...{ document: CONFIGURED_SYNONYMS, change: SynonymChange, drafts: false },
  fileOf: ({ file }) => file,
  changed(text, { file, before, after }) {
    const { rules } = parseSynonymFile(file, text);
    const at = rules.indexOf(before);
    if (before !== "" && at < 0) throw new ConsoleError(409, "changed", `${file} has no rule ${before} any more`);
    const [added] = after === null ? [undefined] : parseSynonymFile("rule.txt", after).rules;
    const problem = after === null ? undefined : parseSynonymFile("rule.txt", after).problems[0];
    if (problem) throw new ConsoleError(409, "invalid", `"${after}" ${problem.message}`);
    const next = [...(at < 0 ? rules : rules.toSpliced(at, 1)), ...(added === undefined ? [] : [added])];
    const changed = withSynonyms(file, text, next);
    if (changed !== undefined) return changed;
    throw new ConsoleError(409, "invalid", `${file} cannot say ${after}: its rows are rules of another kind`);
  },
  stateOf(read, files, inUse) {
    const known = inUse?.files ?? {};
    return {
      files: files.map((file) => {
        const { rules } = parseSynonymFile(file, read(file) ?? "");
        return { file, rules, pending: rules.filter((rule) => !known[file]?.includes(rule)) };
      }),
    };
  },
  pending: (read, files, inUse) =>
    SYNONYMS_PLACE.stateOf(read, files, inUse).files.flatMap(({ file, pending }) => (pending.length > 0 ? [file] : [])),
  restored(read, { files }) {
    const texts = Object.entries(files).flatMap(([file, rules]) => {
      const text = SYNONYM_FILE.test(file) ? read(file) : undefined;
      const after = text === undefined ? undefined : withSynonyms(file, text, rules);
      return after === undefined || after === text ? [] : [[file, after] as const];
    });
    return new Map(texts);
  },
  settingOf({ searchGateway }, index) {
    const { synonyms } = searchGateway?.hybridQueries.find((entry) => entry.index === index) ?? {};
    const used = (synonyms?.files ?? []).filter(
      ({ locale }) => locale === undefined || isLocaleOf(synonyms?.default_locale, locale),
    );
    return { synonym_rules: used.flatMap(({ file }) => searchGateway?.synonyms[file] ?? []) };
  },
};

/** How the hits of an entry vary; null takes that away. */
const VarietyChange = v.strictObject({ index: v.string(), variety: v.nullable(Variety) });

/** Variety settings as the page shows them. */
export interface VarietyState {
  entries: { index: string; variety: v.InferOutput<typeof Variety> | null }[];
}

/** The variety of the entries of hybrid_search.yaml. */
export const VARIETY_PLACE: MerchandiseKind<v.InferOutput<typeof VarietyChange>, VarietyState, undefined> = {
  ...{ document: null, change: VarietyChange, drafts: false },
  fileOf: () => HYBRID_SEARCH,
  changed(text, { index, variety }) {
    // JSON is YAML.
    const changed = withEntryKeys(text, index, { variety: variety === null ? undefined : JSON.stringify(variety) });
    if (changed !== undefined) return changed;
    const reason = `${HYBRID_SEARCH} has no entry in block style for ${index}: add the variety by hand`;
    throw new ConsoleError(409, "no_entry", reason);
  },
  stateOf(read) {
    const { hybrid_queries: entries = [] } = parse(read(HYBRID_SEARCH) ?? "") ?? {};
    return {
      entries: (entries as VarietyState["entries"]).map(({ index, variety }) => ({ index, variety: variety ?? null })),
    };
  },
  pending: () => [],
  restored: () => new Map(),
  settingOf: ({ searchGateway }, index) => ({
    variety: searchGateway?.hybridQueries.find((entry) => entry.index === index)?.variety ?? {},
  }),
};
