import { readFileSync } from "node:fs";

/** Describes a book in two sentences, and has a search for it that shares no telling word with them. */
export interface Plot {
  text: string;
  query: string;
}

/** The building blocks for the texts of one kind of book. */
export interface Genre {
  name: string;
  /** Other categories that books of this genre may have. */
  related: readonly string[];
  /** Words for titles: `The <adjective> <noun>`, `<Noun> of <place>`. */
  adjectives: readonly string[];
  nouns: readonly string[];
  places: readonly string[];
  /** A description is a plot and, mostly, a closing sentence. Both have `{slot}` marks. */
  plots: readonly Plot[];
  closings: readonly string[];
  /**
   * Values of each slot, in addition to those that all genres share. The lists are long enough that descriptions rarely
   * repeat.
   */
  slots: Readonly<Record<string, readonly string[]>>;
}

/** The phrases of the catalogue. `slots` has the slots that all genres share. */
interface Phrases {
  authors: { first: readonly string[]; last: readonly string[] };
  slots: Genre["slots"];
  genres: readonly Genre[];
}

export const PHRASES: Phrases = JSON.parse(readFileSync(new URL("phrases.json", import.meta.url), "utf8"));
