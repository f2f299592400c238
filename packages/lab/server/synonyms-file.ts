import { isDeepStrictEqual } from "node:util";
import { parseSynonymFile } from "@relevance/lib/settings/synonym-files.ts";
import { readRule } from "@relevance/lib/settings/synonyms.ts";
import { csv } from "../judgments/csv.ts";

/**
 * Returns the text of a file of synonyms with exactly these rules, in Solr's form: lines of rules that stay are kept with all
 * comments, those of others are left out, and new rules follow at the end. Undefined if the file cannot say a rule.
 */
export function withSynonyms(name: string, text: string, rules: readonly string[]): string | undefined {
  const isCsv = name.toLowerCase().endsWith(".csv");
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  const missing = [...rules];
  const header = isCsv && /^\uFEFF?\s*"?from"?\s*[,;]\s*"?to"?\s*$/i.test(lines[0] ?? "") ? lines[0] : undefined;
  const kept = lines.filter((line, at) => {
    if (header !== undefined && at === 0) return true;
    // A row alone has no header that says it is one-way.
    const [rule] = parseSynonymFile(name, header === undefined ? line : `${header}\n${line}`).rules;
    if (rule === undefined) return true;
    const place = missing.indexOf(rule);
    if (place < 0) return false;
    missing.splice(place, 1);
    return true;
  });
  const delimiter = lines[0]?.includes(";") && !lines[0].includes(",") ? ";" : ",";
  const added = missing.map((rule) => (isCsv ? rowOf(rule, header !== undefined, delimiter) : rule));
  if (added.includes(undefined)) return undefined;
  const after = [...kept, ...added].map((line) => `${line}${eol}`).join("");
  return isDeepStrictEqual(parseSynonymFile(name, after).rules.sort(), [...rules].sort()) ? after : undefined;
}

/** Returns the row of a rule; undefined if the file is of the other kind, whose rows mean something else. */
function rowOf(line: string, isOneWay: boolean, delimiter: string): string | undefined {
  const { from, to } = readRule(line);
  const isTwoWay = from === to || JSON.stringify(from) === JSON.stringify(to);
  if (isOneWay === isTwoWay || (isOneWay && from.length > 1)) return undefined;
  return csv(isOneWay ? [...from, ...to] : from, [], delimiter).trimEnd();
}
