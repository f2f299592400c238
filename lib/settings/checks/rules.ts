import { INTERLEAVED } from "../../platform/contract/search.ts";
import { parametersOf } from "../../platform/json/template.ts";
import { wordsOf } from "../../platform/words.ts";
import { instantOf } from "../../platform/zoned-time.ts";
import { namesThereAre } from "../nearest.ts";
import type { Path } from "../problem.ts";
import type { Rule } from "../rules.ts";
import type { Draft } from "../validate.ts";
import { type Check, type Drafts, noneTwice, type Report, sound } from "./drafts.ts";

const file = "rules";

/** Characters of JSON that a rule may give to the page, which each answer repeats. */
const MAX_DATA = 10_000;

/** Checks that each rule can apply and does something, and that rules of the same searches do not contradict one another. */
export const checkRules: Check = (drafts, report) => {
  const rules = drafts.rules?.rules;
  noneTwice(report, file, ["rules"], rules, "name", (first) => `: see rules[${first}]`);
  const known = knownTo(drafts);
  const claims = new Map<string, string>();
  for (const [position, rule] of sound(rules)) {
    const path = ["rules", position];
    checkConditions(rule.when, [...path, "when"], known, report);
    checkEffects(rule, [...path, "effects"], report);
    checkConflicts(rule, path, claims, report);
  }
};

/** Names in the other files that rules refer to; undefined if a file is not valid. */
interface Known {
  keys: readonly string[] | undefined;
  /** Parameters by template. */
  templates: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Variants by experiment. */
  experiments: ReadonlyMap<string, readonly string[]> | undefined;
}

function knownTo({ api, hybrid_search }: Drafts): Known {
  const { templates, experiments } = hybrid_search ?? {};
  return {
    keys: api && sound(api.keys).flatMap(([, { name }]) => name ?? []),
    templates:
      templates &&
      new Map(sound(templates).map(([, one]) => [one.name ?? "", parametersOf(one.search_request_template)])),
    experiments:
      experiments &&
      new Map(
        sound(experiments).map(([, { name = "", kind, variants }]) => [
          name,
          kind === "interleave" ? [INTERLEAVED] : sound(variants).flatMap(([, variant]) => variant.name ?? []),
        ]),
      ),
  };
}

const NEVER = "so that the rule can never apply";

function checkConditions(when: Draft<Rule["when"]> | undefined, path: Path, known: Known, report: Report): void {
  const { text, templates, params, keys, experiment, from, until, time_zone = "UTC" } = when ?? {};
  if (text && !text.is && !text.contains) report(file, [...path, "text"], "must have is, contains, or both");
  for (const key of ["is", "contains"] as const) {
    noneTwice(report, file, [...path, "text", key], text?.[key]);
    for (const [at, phrase] of sound(text?.[key])) {
      if (wordsOf(phrase).length === 0) report(file, [...path, "text", key, at], `has no words, ${NEVER}`);
    }
  }
  for (const [at, name] of sound(keys)) {
    if (known.keys && !known.keys.includes(name)) {
      report(file, [...path, "keys", at], `"${name}" is not in keys of api.yaml: ${namesThereAre(name, known.keys)}`);
    }
  }
  for (const [at, name] of sound(templates)) {
    if (known.templates && !known.templates.has(name)) {
      const advice = namesThereAre(name, [...known.templates.keys()]);
      report(file, [...path, "templates", at], `"${name}" is not in templates of hybrid_search.yaml: ${advice}`);
    }
  }
  const named = templates ? sound(templates).map(([, name]) => name) : [...(known.templates?.keys() ?? [])];
  for (const [at, { name }] of sound(params)) {
    if (name === undefined || !known.templates) continue;
    if (named.some((template) => known.templates?.get(template)?.has(name))) continue;
    report(file, [...path, "params", at, "name"], `no such template has the parameter "${name}", ${NEVER}`);
  }
  checkExperiment(experiment, [...path, "experiment"], known, report);
  const [start, end] = [from, until].map((time) => (time === undefined ? undefined : instantOf(time, time_zone)));
  if (Number.isNaN(start)) report(file, [...path, "from"], "is not a day or time of the calendar");
  if (Number.isNaN(end)) report(file, [...path, "until"], "is not a day or time of the calendar");
  if (start !== undefined && end !== undefined && end <= start) {
    report(file, [...path, "until"], `is not after from, ${NEVER}`);
  }
}

function checkExperiment(
  experiment: Draft<Rule["when"]>["experiment"],
  path: Path,
  { experiments }: Known,
  report: Report,
): void {
  if (experiment?.name === undefined || !experiments) return;
  const variants = experiments.get(experiment.name);
  if (!variants) {
    const advice = namesThereAre(experiment.name, [...experiments.keys()]);
    report(file, [...path, "name"], `"${experiment.name}" is not in experiments of hybrid_search.yaml: ${advice}`);
    return;
  }
  for (const [at, variant] of sound(experiment.variants)) {
    if (variants.includes(variant)) continue;
    report(
      file,
      [...path, "variants", at],
      `"${variant}" is no variant of "${experiment.name}", ${NEVER}: ${namesThereAre(variant, variants)}`,
    );
  }
}

function checkEffects({ effects }: Draft<Rule>, path: Path, report: Report): void {
  if (!effects) return;
  if (Object.keys(effects).length === 0) report(file, path, "is empty, so that the rule does nothing");
  const { hide, data } = effects;
  if (hide && !hide.ids && !hide.filter) report(file, [...path, "hide"], "must have ids, filter, or both");
  noneTwice(report, file, [...path, "hide", "ids"], hide?.ids);
  if (data && JSON.stringify(data).length > MAX_DATA) {
    report(file, [...path, "data"], `must be at most ${MAX_DATA.toLocaleString("en")} characters of JSON`);
  }
}

/**
 * Reports what a rule decides and an earlier one has decided already for the same searches: those of equal conditions, or
 * all. Rules whose conditions differ may meet, too; then the order of rules decides.
 */
function checkConflicts({ when, effects }: Draft<Rule>, path: Path, claims: Map<string, string>, report: Report): void {
  if (!effects) return;
  const conditions = JSON.stringify(when);
  const here = path.reduce<string>((all, one) => (typeof one === "number" ? `${all}[${one}]` : `${all}${one}`), "");
  const everywhere = JSON.stringify({ time_zone: "UTC" });
  const claimedBy = (what: string) => claims.get(`${conditions} ${what}`) ?? claims.get(`${everywhere} ${what}`);
  const claim = (what: string) => claims.set(`${conditions} ${what}`, here);
  for (const what of ["replace_text", "redirect"] as const) {
    if (effects[what] === undefined) continue;
    const other = claims.get(`${conditions} ${what}`);
    if (other) report(file, [...path, "effects", what], `has no effect: ${other} has one for the same searches`);
    else claim(what);
  }
  for (const [at, id] of sound(effects.hide?.ids)) {
    const other = claimedBy(`pin ${id}`);
    if (other)
      report(file, [...path, "effects", "hide", "ids", at], `"${id}" is pinned by ${other} for the same searches`);
    else claim(`hide ${id}`);
  }
  for (const [at, { id, place }] of sound(effects.pin)) {
    if (id === undefined || place === undefined) continue;
    const own = [...path, "effects", "pin", at];
    const hidden = claimedBy(`hide ${id}`);
    if (hidden) report(file, [...own, "id"], `"${id}" is hidden by ${hidden} for the same searches`);
    const pinned = claims.get(`${conditions} pin ${id}`);
    if (pinned) report(file, [...own, "id"], `"${id}" is pinned by ${pinned} already for the same searches`);
    const taken = claims.get(`${conditions} place ${place}`);
    if (taken) report(file, [...own, "place"], `${place} is taken by a pin of ${taken} for the same searches`);
    if (!pinned) claim(`pin ${id}`);
    if (!taken) claim(`place ${place}`);
  }
}
