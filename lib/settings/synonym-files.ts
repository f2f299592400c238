import { CsvError, parse } from "csv-parse/sync";
import { wordsOf } from "../platform/words.ts";
import { checkedRule, formatRule, listProblem, MAX_ALTERNATIVES, parseRule, type SynonymRule } from "./synonyms.ts";

/** A file of synonyms. */
export interface SynonymFile {
  /** Its rules in Solr's form, without comments and in the order of the file. */
  rules: string[];
  problems: Array<{ line: number; message: string }>;
}

/** Reads a file of synonyms: comma-separated values if its name ends in .csv, else Solr's format. */
export function parseSynonymFile(name: string, text: string): SynonymFile {
  const file: SynonymFile = { rules: [], problems: [] };
  const tooLong = listProblem([text]);
  if (tooLong !== undefined) return { ...file, problems: [{ line: 1, message: tooLong }] };
  const read = new Map<string, Set<string>>();
  for (const { line, rule } of name.toLowerCase().endsWith(".csv") ? csvRules(text) : solrRules(text)) {
    const problem = "problem" in rule ? rule.problem : crowded(rule, read);
    if (problem !== undefined) file.problems.push({ line, message: problem });
    else if (!("problem" in rule)) file.rules.push(formatRule(rule));
  }
  const stored = listProblem(file.rules);
  if (stored !== undefined) file.problems.push({ line: 1, message: stored });
  return file;
}

interface Line {
  line: number;
  rule: SynonymRule | { problem: string };
}

const withoutMark = (text: string) => text.replace(/^\uFEFF/, "");

function solrRules(text: string): Line[] {
  return withoutMark(text)
    .split(/\r\n|\n|\r/)
    .flatMap((line, index) => {
      const rule = parseRule(line);
      return rule ? [{ line: index + 1, rule }] : [];
    });
}

/** Each row has synonyms of one another; after the header `from,to` the first text of a row also finds the others. */
function csvRules(text: string): Line[] {
  const [first = ""] = withoutMark(text).split(/\r?\n/, 1);
  const delimiter = first.includes(";") && !first.includes(",") ? ";" : ",";
  try {
    const options = { delimiter, bom: true, trim: true, relax_column_count: true, skip_empty_lines: true } as const;
    const rows = parse(text, { ...options, info: true }) as unknown as Array<{
      record: string[];
      info: { lines: number };
    }>;
    const [from, to] = rows[0]?.record.map((name) => name.toLowerCase()) ?? [];
    const isOneWay = from === "from" && to === "to";
    return rows.slice(isOneWay ? 1 : 0).flatMap(({ record, info }) => {
      if (record.every((cell) => cell === "")) return [];
      const rule = isOneWay ? { from: record.slice(0, 1), to: record.slice(1) } : { from: record, to: record };
      return [{ line: info.lines, rule: checkedRule(rule) }];
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number((error as CsvError & { lines?: number }).lines ?? 1);
    return [{ line, rule: { problem: `is not CSV: ${error.message}` } }];
  }
}

/** Returns what is wrong if a text has more alternatives than a search may try, with those of the rules before. */
function crowded({ from, to }: SynonymRule, read: Map<string, Set<string>>): string | undefined {
  const keys = to.map(keyOf);
  for (const one of from) {
    const key = keyOf(one);
    const all = read.get(key) ?? new Set();
    read.set(key, all);
    for (const other of keys) if (other !== key) all.add(other);
    if (all.size > MAX_ALTERNATIVES) {
      return `gives "${one}" ${all.size} synonyms; a search tries at most ${MAX_ALTERNATIVES}`;
    }
  }
  return undefined;
}

const keyOf = (text: string) => wordsOf(text).join(" ");
