import { readdirSync, readFileSync } from "node:fs";

export type Language = "en" | "de" | "fr";

/** A subject that several books have in common, with the texts that they are made from. */
export interface Subject {
  name: string;
  genre: string;
  /** Other categories that books of this subject may have. */
  related: readonly string[];
  language: Language;
  titles: readonly string[];
  subtitles: readonly string[];
  /** Each stands alone, so that any few of them describe a book. */
  sentences: readonly string[];
  /** The lowest and the highest price. */
  prices: readonly [number, number];
  /** The first and the last year of publication. */
  years: readonly [number, number];
  /** Searches for books of this subject. */
  queries: SubjectQueries;
  /** Names of subjects whose books are of some use to a person who searches for this one. */
  near: readonly string[];
}

export interface SubjectQueries {
  /** Words of the texts. */
  words: string;
  /** Shares no telling word with the texts. */
  paraphrase: string;
  /** A sentence about what a person needs. */
  need: string;
  /** `words` with spelling mistakes. */
  misspelt: string;
}

interface SubjectFile {
  genre: string;
  related: readonly string[];
  subjects: readonly (Omit<Subject, "genre" | "related" | "language"> & { language?: Language })[];
}

/** The names of authors, and how a language names volumes and editions of a title. */
interface Phrases {
  authors: { first: readonly string[]; last: readonly string[] };
  volumes: Readonly<Record<Language, string>>;
  editions: Readonly<Record<Language, readonly { title: string; note: string }[]>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

export const PHRASES = read("phrases.json") as Phrases;

/** All subjects, in the order of their files' names. */
export const SUBJECTS: readonly Subject[] = readdirSync(new URL("subjects/", import.meta.url))
  .sort()
  .flatMap((name) => {
    const { subjects, ...file } = read(`subjects/${name}`) as SubjectFile;
    return subjects.map((subject) => ({ ...file, language: "en" as const, ...subject }));
  });

export const GENRES: readonly string[] = [...new Set(SUBJECTS.map(({ genre }) => genre))];
