import { isDeepStrictEqual } from "node:util";
import { type Rule, RulesSchema } from "@relevance/lib/settings/rules.ts";
import * as v from "valibot";
import { isMap, isScalar, isSeq, type Node, parseDocument, stringify } from "yaml";

/** A rule as rules.yaml has it, without what is said by default. */
export type WrittenRule = Readonly<Record<string, unknown>>;

/** Returns the rules of a text as they are written. Undefined if it has no list of rules. */
export function rulesIn(text: string): WrittenRule[] | undefined {
  const rules = parseDocument(text).get("rules");
  return isSeq(rules) ? (rules.toJSON() as WrittenRule[]) : undefined;
}

/**
 * Returns the text of rules.yaml with other rules. Each rule that stays is written as before, with its comments; the others
 * are written anew. Undefined if the text has no list of rules.
 */
export function withRules(text: string, rules: readonly WrittenRule[]): string | undefined {
  const document = parseDocument(text);
  const list = document.get("rules", true);
  const pair = isMap(document.contents)
    ? document.contents.items.find(({ key }) => isScalar(key) && key.value === "rules")
    : undefined;
  if (!pair || !isSeq(list)) return undefined;
  const [start, end] = rangeOf(list);
  const isBlock = !list.flow && list.items.length > 0;
  // A block begins with the line of its first dash, whatever stands before that.
  const from = isBlock ? lineOf(text, start) : rangeOf(pair.key)[1] + 1;
  const { chunks, tail } = isBlock ? chunksOf(text, list.items as Node[], from, end) : { chunks: [], tail: "" };
  const old = chunks.map((chunk, at) => ({ chunk, rule: list.items[at] as Node }));
  const indent = isBlock ? start - from : 2;
  const written = rules.map((rule) => {
    const same = old.find((one) => isSame(one.rule.toJSON(), rule));
    return same?.chunk ?? chunkOf(rule, indent);
  });
  const rest = isBlock ? text.slice(end) : text.slice(end).replace(/^[ \t]*\n/, "");
  if (written.length === 0) {
    const head = isBlock ? text.slice(0, rangeOf(pair.key)[1] + 1) : text.slice(0, from);
    return `${head} []\n${tail}${rest}`;
  }
  const head = isBlock ? text.slice(0, from) : `${text.slice(0, from)}\n`;
  return `${head}${written.join("")}${tail}${rest}`;
}

const lineOf = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;

/** Cuts a block of items into one piece for each, to which the comments above it belong. */
function chunksOf(text: string, items: readonly Node[], from: number, end: number) {
  // The dash of an item stands before it, in its line or in one above.
  const dashes = items.map((item, at) => (at === 0 ? from : lineOf(text, text.lastIndexOf("-", rangeOf(item)[0]) + 1)));
  const chunks: string[] = [];
  let begin = from;
  for (const [at] of items.entries()) {
    const lines = text
      .slice(begin, dashes[at + 1] ?? end)
      .split(/(?<=\n)/)
      .filter(Boolean);
    let last = lines.length;
    while (last > 1 && /^\s*(#|$)/.test(lines[last - 1] ?? "")) last -= 1;
    const chunk = lines.slice(0, last).join("");
    chunks.push(chunk.endsWith("\n") ? chunk : `${chunk}\n`);
    begin += lines.slice(0, last).join("").length;
  }
  return { chunks, tail: text.slice(begin, end) };
}

function chunkOf(rule: WrittenRule, indent: number): string {
  const lines = stringify([rule], { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(indent)}${line}\n`).join("");
}

/** Returns whether two rules say the same, by default or not. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(complete(one), complete(other));

function complete(rule: unknown): unknown {
  const result = v.safeParse(RulesSchema, { rules: [rule] });
  return result.success ? result.output.rules?.[0] : rule;
}

/** Returns a rule of a version as people write it. */
export function writtenRule({ name, priority, when, effects }: Rule): WrittenRule {
  const { time_zone, ...conditions } = when;
  const written = { ...conditions, ...(time_zone !== "UTC" && { time_zone }) };
  return {
    name,
    ...(priority !== 0 && { priority }),
    ...(Object.keys(written).length > 0 && { when: written }),
    effects,
  };
}

/** Nodes of a parsed document always have a range. */
const rangeOf = (node: unknown) => (node as Node).range as [number, number, number];
