import { type SubjectBook, subjectBooks } from "./books.ts";
import { csv } from "./files.ts";
import { random } from "./random.ts";
import { SUBJECTS, type Subject } from "./subjects.ts";

/** The title of a book, words of its texts, the same in other words, or a sentence about a need. */
export const QUERY_KINDS = ["title", "words", "paraphrase", "need"] as const;

/** A search in the demo's catalogue, with the grade of every book that is relevant to it. */
export interface DemoQuery {
  text: string;
  kind: (typeof QUERY_KINDS)[number];
  isMisspelt: boolean;
  /** From 1 to 3, by id. Other books are not relevant. */
  grades: ReadonlyMap<string, number>;
}

/** One in so many searches by words is misspelt. */
const WORDS_PER_MISSPELT = 3;

/**
 * Returns searches of four kinds for a catalogue. Each subject has at least one if there are as many. The grades follow
 * from the subject: 3 for its books and 1 for those of near subjects. For a title they are 3 for the book, 2 for its other
 * volumes and editions, and 1 for other books of the subject.
 */
export function demoQueries(size: { books?: number; queries?: number; seed?: number } = {}): DemoQuery[] {
  const { books = 3_000, queries = 150, seed = 1 } = size;
  const bySubject = Map.groupBy(subjectBooks(books, seed), ({ subject }) => subject.name);
  const chance = random(seed + 3);
  const order = chance.sample(SUBJECTS, SUBJECTS.length);
  return Array.from({ length: queries }, (_, at): DemoQuery => {
    const subject = order[at % order.length] as Subject;
    const kind = QUERY_KINDS[at % QUERY_KINDS.length] ?? "title";
    const own = bySubject.get(subject.name) ?? [];
    if (kind === "title") {
      const title = chance.pick(subject.titles);
      return { text: title, kind, isMisspelt: false, grades: gradesOfTitle(title, own) };
    }
    const isMisspelt = kind === "words" && Math.floor(at / QUERY_KINDS.length) % WORDS_PER_MISSPELT === 0;
    const near = subject.near.flatMap((name) => bySubject.get(name) ?? []);
    const grades = new Map([...graded(near, 1), ...graded(own, 3)]);
    return { text: subject.queries[isMisspelt ? "misspelt" : kind], kind, isMisspelt, grades };
  });
}

/** Returns searches as the text of a judgments file for `relevance evaluate`. */
export function judgmentsFile(queries: readonly DemoQuery[], index: string): string {
  const rows = queries.flatMap(({ text, grades }) => [...grades].map(([id, grade]) => [text, id, grade, index]));
  return csv(["query", "doc", "grade", "index"], rows);
}

const graded = (books: readonly SubjectBook[], grade: number) => books.map(({ book }) => [book.id, grade] as const);

function gradesOfTitle(title: string, books: readonly SubjectBook[]): Map<string, number> {
  const gradeOf = (other: string) => (other === title ? 3 : other.startsWith(title) ? 2 : 1);
  return new Map(books.map(({ book }) => [book.id, gradeOf(book.title)]));
}
