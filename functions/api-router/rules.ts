import type { AwsVariables } from "../../lib/aws/signed-call.ts";
import { signedIfChanged } from "../../lib/aws/signed-object.ts";
import { currentKey, documentReader, draftKey } from "../../lib/aws/versioned-documents.ts";
import { deadlineWithin } from "../../lib/core/resilience/deadline.ts";
import type { RuleReader } from "../../lib/search/gateway/services.ts";
import { ruleBook } from "../../lib/search/rules/book.ts";
import { parseRules } from "../../lib/search/rules/document.ts";
import { RULES } from "../../lib/search/rules/name.ts";

/** Milliseconds that one attempt to read the rules may take. A search waits for the first read, and for later ones each half minute. */
const RULES_MS = 1_000;

/** Milliseconds until the next attempt, if rules could never be read. */
const AGAIN_MS = 5_000;

/** Returns what reads the rules in use, or a draft of them. */
export function ruleReader(bucket: string, variables: () => AwsVariables): RuleReader {
  const readerOf = (key: string) =>
    documentReader(
      "the document of rules",
      signedIfChanged(variables, { bucket, key, timeoutMs: RULES_MS }),
      (content) => ruleBook(parseRules(content)),
    );
  const readers = { current: readerOf(currentKey(RULES)), draft: readerOf(draftKey(RULES)) };
  const failures = new Map<string, { error: unknown; until: number }>();
  return async (set, deadline) => {
    const failed = failures.get(set);
    // Without a route to the bucket, each search would wait for a read that fails.
    if (failed && performance.now() < failed.until) throw failed.error;
    try {
      return await readers[set](deadlineWithin(2 * RULES_MS, deadline));
    } catch (error) {
      failures.set(set, { error, until: performance.now() + AGAIN_MS });
      throw error;
    }
  };
}
