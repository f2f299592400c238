import { parameterOf, QUERY_TOKEN } from "../../platform/json/template.ts";
import { isObject } from "../../platform/json/values.ts";
import { didYouMean, nearest } from "../nearest.ts";
import type { Path } from "../problem.ts";
import { type Check, type Drafts, type Report, sound } from "./drafts.ts";

/** Regions of AWS. Source: partitions of @aws-sdk/core, November 2026. */
const REGIONS = [
  ...["af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1"],
  ...["ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5"],
  ...["ap-southeast-6", "ap-southeast-7", "ca-central-1", "ca-west-1", "cn-north-1", "cn-northwest-1"],
  ...["eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3"],
  ...[
    "eusc-de-east-1",
    "il-central-1",
    "me-central-1",
    "me-south-1",
    "me-west-1",
    "mx-central-1",
    "sa-east-1",
    "sa-west-1",
  ],
  ...["eu-isoe-west-1", "us-iso-east-1", "us-iso-west-1", "us-isob-east-1", "us-isob-west-1", "us-isof-east-1"],
  ...["us-isof-south-1", "us-east-1", "us-east-2", "us-gov-east-1", "us-gov-west-1", "us-west-1", "us-west-2"],
];

/** Warns of a region that AWS did not have when this version was made. */
const warnOfRegions: Check = ({ project }, warn) => {
  const { state } = project?.terraform ?? {};
  for (const [region, path] of [
    [project?.aws?.region_name, ["aws", "region_name"]],
    [state?.type === "s3" ? state.region : undefined, ["terraform", "state", "region"]],
  ] as const) {
    if (region === undefined || REGIONS.includes(region)) continue;
    warn("project", path, `"${region}" is no region that this version knows${didYouMean(region, REGIONS)}`);
  }
};

/** Returns the entries of hybrid_search.yaml: names of indexes, or their beginnings followed by `*`. */
const entriesOf = ({ hybrid_search }: Drafts): string[] =>
  sound(hybrid_search?.hybrid_queries).flatMap(([, { index }]) => index ?? []);

/** Warns of an index of a key or an experiment that is in no entry, but whose name is nearly that of one. */
const warnOfIndexes: Check = (drafts, warn) => {
  const entries = entriesOf(drafts);
  const check = (file: "api" | "hybrid_search", path: Path, index: string | undefined) => {
    const beginnings = entries.filter((entry) => entry.endsWith("*")).map((entry) => entry.slice(0, -1));
    if (index === undefined || entries.includes(index) || beginnings.some((one) => index.startsWith(one))) return;
    const start = index.endsWith("*") ? index.slice(0, -1) : undefined;
    if (start !== undefined && entries.some((entry) => entry.startsWith(start))) return;
    const close = didYouMean(index, entries);
    if (close !== "") warn(file, path, `"${index}" is no index of hybrid_queries in hybrid_search.yaml${close}`);
  };
  for (const [at, { indexes }] of sound(drafts.api?.keys)) {
    for (const [place, index] of sound(indexes)) check("api", ["keys", at, "indexes", place], index);
  }
  for (const [at, { index }] of sound(drafts.hybrid_search?.experiments)) {
    check("hybrid_search", ["experiments", at, "index"], index);
  }
};

/** Warns of what is nearly a token of a template, and of a filter that some subqueries of a template lack. */
const warnOfTemplates: Check = ({ hybrid_search }, warn) => {
  const fields = sound(hybrid_search?.hybrid_queries).flatMap(([, { embedding_mappings }]) =>
    sound(embedding_mappings).flatMap(([, { embedding_field }]) => embedding_field ?? []),
  );
  for (const [at, { search_request_template: template, parameters, params }] of sound(hybrid_search?.templates)) {
    const path = ["templates", at, "search_request_template"];
    const names = [...sound(parameters).flatMap(([, { name }]) => name ?? []), ...Object.keys(params ?? {})];
    const tokens = [...names.map((name) => `[params.${name}]`), ...fields.map((field) => `[${field}]`), QUERY_TOKEN];
    for (const [text, place] of textsIn(template, path)) {
      if (!/^\[[\w.-]+\]$/.test(text) || tokens.includes(text) || parameterOf(text) !== undefined) continue;
      const close = didYouMean(text, tokens);
      if (close !== "") warn("hybrid_search", place, `"${text}" is no token, so it stays this text${close}`);
    }
    warnOfFilters(template, [...path, "query", "hybrid"], warn);
  }
};

function* textsIn(value: unknown, path: Path): Generator<[text: string, path: Path]> {
  if (typeof value === "string") yield [value, path];
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    yield* textsIn(one, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function warnOfFilters(template: unknown, path: Path, warn: Report): void {
  const hybrid = isObject(template) && isObject(template.query) ? template.query.hybrid : undefined;
  if (!isObject(hybrid) || !Array.isArray(hybrid.queries) || hybrid.filter !== undefined) return;
  const filtered = hybrid.queries.map(isFiltered);
  const [has, lacks] = [true, false].map((one) => filtered.indexOf(one)) as [number, number];
  if (has < 0 || lacks < 0) return;
  const message = `subquery ${has + 1} has a filter and subquery ${lacks + 1} has none, so hits need not pass it`;
  warn("hybrid_search", [...path, "queries", lacks], `${message}: write it as filter beside queries, for all of them`);
}

/** Returns whether a subquery has a filter, its own or that of a query inside it which every hit matches. */
function isFiltered(query: unknown): boolean {
  const [inner] = isObject(query) ? Object.values(query) : [];
  if (!isObject(inner)) return false;
  const [ofField] = Object.values(inner);
  // A bool has it directly, and a knn query below its field.
  if (inner.filter !== undefined || (isObject(ofField) && ofField.filter !== undefined)) return true;
  return [inner.must, inner.query, inner.positive].flat().some(isFiltered);
}

/** Warns of a locale whose language nobody knows by this tag, such as `english`. */
const warnOfLocales: Check = ({ hybrid_search }, warn) => {
  for (const [at, { synonyms }] of sound(hybrid_search?.hybrid_queries)) {
    const path = ["hybrid_queries", at, "synonyms"];
    const files = sound(synonyms?.files).map(([place, { locale }]) => [locale, ["files", place, "locale"]] as const);
    for (const [locale, place] of [[synonyms?.default_locale, ["default_locale"]] as const, ...files]) {
      const [language = ""] = locale?.split("-") ?? [];
      if (locale === undefined || LANGUAGES.of(language) !== undefined) continue;
      warn("hybrid_search", [...path, ...place], `"${locale}" starts with no known language${meantLanguage(language)}`);
    }
  }
};

const LANGUAGES = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

function meantLanguage(word: string): string {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
  const named = codes.flatMap((code) => {
    const name = LANGUAGES.of(code);
    return name === undefined ? [] : [[name, code] as const];
  });
  const name = nearest(
    word,
    named.map(([one]) => one),
  );
  const code = named.find(([one]) => one === name)?.[1];
  return code === undefined ? "" : `: did you mean "${code}"?`;
}

/** Every check of values that are valid, and probably not meant. They get no wrong value, since problems come first. */
export const WARNINGS: readonly Check[] = [warnOfRegions, warnOfIndexes, warnOfTemplates, warnOfLocales];
