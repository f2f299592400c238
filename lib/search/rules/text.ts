import { sha256 } from "../../platform/aws/signed-call.ts";
import type { DocumentVersion, TextOf } from "../../platform/aws/versioned-documents.ts";
import { RULES_FORM, type Rule, type Rules } from "../../settings/rules.ts";
import { indexedBook, type RuleBook } from "./book.ts";
import { INDEX_FORM, indexOf, type RuleIndex } from "./facts.ts";

/** Texts before the index and before the content of a document. Other JSON values contain no line break. */
const INDEX = ',\n"index":';
const CONTENT = ',\n"content":{"rules":[\n';

/** The members of a document before the index. */
type Head = Omit<DocumentVersion, "content"> & { index_form?: number; sha256?: string };

/**
 * Returns a version of rules as JSON text. An index of the rules comes first, and each rule is on a line of its own,
 * which is parsed when a search is first compared with it. Parsing and indexing 10,000 rules takes longer than a cold
 * start.
 */
export const indexedText: TextOf = (version) => {
  const { content, ...about } = version;
  if (about.form !== RULES_FORM) return JSON.stringify(version);
  const { rules = [] } = content as Rules;
  const lines = rules.map((rule) => JSON.stringify(rule));
  let next = 0;
  // Each line except the first starts with a comma.
  const places = lines.map((line) => {
    const place = next;
    next += line.length + "\n,".length;
    return place;
  });
  const body = `${INDEX}${JSON.stringify(indexOf(rules, places))}${CONTENT}${lines.join("\n,")}\n]}}`;
  const head: Head = { ...about, index_form: INDEX_FORM, sha256: sha256(body) };
  return JSON.stringify(head).slice(0, -1) + body;
};

/** Opens a text of {@link indexedText}; undefined if something else wrote or edited it. */
export function openIndexed(text: string): { version: number; content: RuleBook } | undefined {
  const indexAt = text.indexOf(INDEX);
  const contentAt = text.indexOf(CONTENT, indexAt);
  if (indexAt < 0 || contentAt < 0) return undefined;
  const head: Head = JSON.parse(`${text.slice(0, indexAt)}}`);
  if (head.form !== RULES_FORM || head.index_form !== INDEX_FORM || head.sha256 !== sha256(text.slice(indexAt)))
    return undefined;
  const index: RuleIndex = JSON.parse(text.slice(indexAt + INDEX.length, contentAt));
  const start = contentAt + CONTENT.length;
  const ruleAt = (place: number): Rule => JSON.parse(text.slice(start + place, text.indexOf("\n", start + place)));
  return { version: head.version, content: indexedBook(index, ruleAt) };
}
