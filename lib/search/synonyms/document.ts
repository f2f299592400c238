import * as v from "valibot";
import { type CurrentDocument, documentReader, type ReadIfChanged } from "../../aws/versioned-documents.ts";
import { type Deadline, deadlineWithin } from "../../core/resilience/deadline.ts";
import { type Lexicon, lexiconOf } from "./lexicon.ts";

/** The name of the document that holds the synonyms in use. */
export const SYNONYMS = "synonyms";

/** The rules of each list in Solr's form, by the path of its file in the configuration folder. */
const SynonymLists = v.object({ files: v.record(v.string(), v.array(v.string())) });
export type SynonymLists = v.InferOutput<typeof SynonymLists>;

/** Returns the lists of a document. Throws if it is not one of synonyms. */
export const parseSynonymLists = (content: unknown): SynonymLists => v.parse(SynonymLists, content);

/** Returns the lexicon of a list; undefined if the document does not have the list. */
export type Lexicons = (file: string) => Lexicon | undefined;

/** Returns the lists in use. Rejects if they could never be read. */
export type SynonymReader = (deadline: Deadline) => Promise<CurrentDocument<Lexicons>>;

/** The longest that a search waits for the lists, in milliseconds. */
const BUDGET_MS = 1_000;

/** How long searches go without synonyms after the lists could not be read, so that each does not wait for itself. */
const RETRY_MS = 5_000;

/** Returns the reader of the lists, of which each is made into a lexicon on first use. */
export function synonymReader(read: ReadIfChanged, now: () => number = () => performance.now()): SynonymReader {
  const document = documentReader("the document of synonyms", read, lexiconsOf, now);
  let failed: { error: unknown; until: number } | undefined;
  return async (deadline) => {
    if (failed && now() < failed.until) throw failed.error;
    try {
      const current = await document(deadlineWithin(BUDGET_MS, deadline));
      failed = undefined;
      return current;
    } catch (error) {
      failed = { error, until: now() + RETRY_MS };
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
