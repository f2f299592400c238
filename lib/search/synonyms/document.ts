import * as v from "valibot";
import { CallTimeout } from "../../platform/aws/errors.ts";
import {
  type CurrentDocument,
  documentReader,
  parsedBy,
  type ReadIfChanged,
} from "../../platform/aws/versioned-documents.ts";
import { deadlineIn, withTimeout } from "../../platform/resilience/deadline.ts";
import { listProblem } from "../../settings/synonyms.ts";
import { type Lexicon, lexiconOf } from "./lexicon.ts";

/** The rules of each list in Solr's form, by the path of its file in the configuration folder. */
const SynonymLists = v.object({
  files: v.record(
    v.string(),
    v.pipe(
      v.array(v.string()),
      v.check((rules) => listProblem(rules) === undefined, "has more characters than a list may have"),
    ),
  ),
});
export type SynonymLists = v.InferOutput<typeof SynonymLists>;

/** Returns the lists of a document. Throws if it is not one of synonyms. */
export const parseSynonymLists = (content: unknown): SynonymLists => v.parse(SynonymLists, content);

/** Returns the lexicon of a list; undefined if the document does not have the list. */
export type Lexicons = (file: string) => Lexicon | undefined;

/** Returns the lists in use, after at most so many milliseconds. Rejects if they could not be read yet. */
export type SynonymReader = (waitMs: number) => Promise<CurrentDocument<Lexicons>>;

/** The longest that a read takes, in milliseconds. Searches wait for a shorter time. */
const READ_MS = 10_000;

/**
 * Returns the reader of the lists. Each becomes a lexicon on first use. Concurrent callers share a read. If it is late,
 * it continues for later callers, and the previous lists stay in use.
 */
export function synonymReader(read: ReadIfChanged, now: () => number = () => performance.now()): SynonymReader {
  const document = documentReader("the document of synonyms", read, parsedBy(lexiconsOf), { now, isOptional: true });
  let last: CurrentDocument<Lexicons> | undefined;
  const refresh = async () => {
    last = await document(deadlineIn(READ_MS));
    return last;
  };
  return async (waitMs) => {
    try {
      return await withTimeout(waitMs, refresh, () => new CallTimeout(`no answer within ${Math.round(waitMs)} ms`));
    } catch (error) {
      if (last) return last;
      throw error;
    }
  };
}

function lexiconsOf(content: unknown): Lexicons {
  const { files } = parseSynonymLists(content);
  const made = new Map<string, Lexicon>();
  return (file) => {
    const rules = Object.hasOwn(files, file) ? files[file] : undefined;
    if (!rules) return undefined;
    const lexicon = made.get(file) ?? lexiconOf(rules);
    made.set(file, lexicon);
    return lexicon;
  };
}
