import { wordsOf } from "../platform/words.ts";

/**
 * A rule of a list of synonyms: a search for any text of `from` also finds every text of `to`. Both are the same list if its
 * texts are synonyms of one another.
 */
export interface SynonymRule {
  from: readonly string[];
  to: readonly string[];
}

/** The most words of one text in a list: no phrase that people type is longer, and a lookup tries each length. */
const MAX_WORDS = 10;

/** The most characters of one text in a list. */
const MAX_CHARACTERS = 200;

/** The most alternatives of one clause of a query, and so of one text in a list. */
export const MAX_ALTERNATIVES = 30;

/** The most characters of a list as it is stored: some 50,000 rules. */
const MAX_LIST_CHARACTERS = 2_000_000;

/** Returns why a list of rules in Solr's form is too long to be read; undefined if it is not. */
export function listProblem(rules: readonly string[]): string | undefined {
  const characters = rules.reduce((all, rule) => all + rule.length + 1, 0);
  if (characters <= MAX_LIST_CHARACTERS) return undefined;
  return `has ${characters} characters, more than the ${MAX_LIST_CHARACTERS} allowed: is it the right file?`;
}

/** Returns a rule in Solr's form, as `sofa, couch` or `tv => television`, or what is wrong with it; undefined for no rule. */
export function parseRule(line: string): SynonymRule | { problem: string } | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  if (sidesOf(text).length > 2) return { problem: "has => twice" };
  return checkedRule(readRule(text));
}

/** Returns a rule in Solr's form that was checked before. */
export function readRule(line: string): SynonymRule {
  const [from = [], to = from] = sidesOf(line);
  return { from, to };
}

/** Returns a rule without empty texts, or what is wrong with it. */
export function checkedRule(rule: SynonymRule): SynonymRule | { problem: string } {
  const isTwoWay = rule.from === rule.to;
  const from = rule.from.filter((one) => one !== "");
  const to = isTwoWay ? from : rule.to.filter((one) => one !== "");
  if (isTwoWay && from.length < 2) return { problem: "has one text: separate synonyms with commas" };
  if (from.length === 0) return { problem: "has nothing to search for" };
  if (to.length === 0) return { problem: "has nothing that it finds" };
  for (const one of isTwoWay ? from : [...from, ...to]) {
    const words = wordsOf(one).length;
    if (words === 0) return { problem: `has "${one.slice(0, 50)}", in which there is no word` };
    if (words > MAX_WORDS) return { problem: `has a text of ${words} words; at most ${MAX_WORDS} are allowed` };
    if (one.length > MAX_CHARACTERS) {
      return { problem: `has a text of ${one.length} characters; at most ${MAX_CHARACTERS} are allowed` };
    }
  }
  return { from, to };
}

/** Splits a line at => and at commas, unless a backslash escapes them. */
function sidesOf(line: string): string[][] {
  if (!line.includes("\\")) return line.split("=>").map((side) => side.split(",").map((text) => text.trim()));
  const sides: string[][] = [];
  let side: string[] = [];
  let text = "";
  const endText = () => {
    side.push(text.trim());
    text = "";
  };
  const endSide = () => {
    endText();
    sides.push(side);
    side = [];
  };
  for (let at = 0; at < line.length; at += 1) {
    if (line.startsWith("=>", at)) {
      endSide();
      at += 1;
    } else if (line[at] === ",") {
      endText();
    } else {
      if (line[at] === "\\" && at + 1 < line.length) at += 1;
      text += line[at];
    }
  }
  endSide();
  return sides;
}

/** Returns a rule in Solr's form, which {@link parseRule} reads. */
export function formatRule({ from, to }: SynonymRule): string {
  const side = (texts: readonly string[]) =>
    texts.map((text) => text.replaceAll(/[\\,]|=(?=>)|^#/g, "\\$&")).join(", ");
  return from === to ? side(from) : `${side(from)} => ${side(to)}`;
}

/** Returns whether a locale is that of a list, or more exact: `de-AT` has the lists of `de`. */
export function isLocaleOf(locale: string | undefined, list: string | undefined): boolean {
  if (locale === undefined || list === undefined) return false;
  return `${locale}-`.toLowerCase().startsWith(`${list}-`.toLowerCase());
}
