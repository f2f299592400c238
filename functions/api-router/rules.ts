import type { AwsVariables } from "../../lib/platform/aws/signed-call.ts";
import { signedIfChanged } from "../../lib/platform/aws/signed-object.ts";
import { currentKey, documentReader, draftKey, parsedBy } from "../../lib/platform/aws/versioned-documents.ts";
import { deadlineWithin } from "../../lib/platform/resilience/deadline.ts";
import { type RuleReader, ruleBook } from "../../lib/search/rules/book.ts";
import { parseRules } from "../../lib/search/rules/document.ts";
import { RULES } from "../../lib/search/rules/name.ts";
import { openIndexed } from "../../lib/search/rules/text.ts";

/** Milliseconds that one attempt to read the rules may take. A search waits for the first read, and for later ones each half minute. */
const RULES_MS = 1_000;

/** Opens rules that another version of relevance wrote, or that were changed by hand: those are indexed now. */
const parsed = parsedBy((content, form) => ruleBook(parseRules(content, form)));

/** Returns what reads the rules in use, or a draft of them. */
export function ruleReader(bucket: string, variables: () => AwsVariables): RuleReader {
  const readerOf = (key: string, options: Parameters<typeof documentReader>[3]) =>
    documentReader(
      "the document of rules",
      signedIfChanged(variables, { bucket, key, timeoutMs: RULES_MS }),
      (text) => openIndexed(text) ?? parsed(text),
      options,
    );
  const readers = {
    // Without a route to the bucket, each search would wait for a read that fails.
    current: readerOf(currentKey(RULES), { isOptional: true }),
    // The author of a draft tries it at once.
    draft: readerOf(draftKey(RULES), { keptMs: 0 }),
  };
  return (set, deadline) => readers[set](deadlineWithin(2 * RULES_MS, deadline));
}
