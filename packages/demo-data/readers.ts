import { type Book, books } from "./books.ts";
import { type Random, random } from "./random.ts";
import { GENRES } from "./subjects.ts";

/** A user of the demo, with the columns of the Users dataset. */
export interface Reader {
  USER_ID: string;
  GENDER: "F" | "M";
  AGE: number;
  /** A postal code. */
  LOCATION: number;
  MEMBERSHIP_ID: string;
}

/** An interaction of a reader with a book, with the columns of the Interactions dataset. */
export interface Interaction {
  USER_ID: string;
  ITEM_ID: string;
  EVENT_TYPE: "view" | "purchase" | "rating";
  /** Stars of a rating, 1 to 5. Undefined for other events. */
  EVENT_VALUE: number | undefined;
  /** Seconds since 1970. The list is sorted by it. */
  TIMESTAMP: number;
  /** The books that were shown, including the chosen one. Present in some views only. */
  IMPRESSION: readonly string[] | undefined;
}

/** The demo's data, which is derived from one seed. */
export interface DemoData {
  books: readonly Book[];
  readers: readonly Reader[];
  interactions: readonly Interaction[];
}

/** Approximate size of the data. The defaults are similar to MovieLens. */
export interface DemoSize {
  books?: number;
  readers?: number;
  interactions?: number;
  seed?: number;
}

/** A reader's taste, which determines the data but does not appear in it. */
interface Taste {
  genres: ReadonlyMap<string, number>;
  authors: ReadonlySet<string>;
  /** A property of books and readers that is independent of genre and author. */
  mood: readonly number[];
}

const MOODS = 2;
const START = Date.UTC(2024, 0, 1) / 1_000;
const DAYS = 365;
const IMPRESSIONS = 0.2;

/**
 * Generates readers with hidden tastes and their interactions. Each reader likes two or three genres, a few authors and
 * a mood that no column shows, and sometimes chooses popular books. A recommender that learns these tastes is far
 * better than popularity alone.
 */
export function demoData(size: DemoSize = {}): DemoData {
  const { seed = 1, readers: readerCount = 600, interactions: wanted = 60_000 } = size;
  const catalogue = books(size.books ?? 3_000, seed);
  const chance = random(seed + 2);
  const moods = new Map(catalogue.map(({ id }) => [id, Array.from({ length: MOODS }, () => chance.normal())]));
  // A few books are very popular and most are not: Zipf's law over a random order.
  const fame = new Map(chance.sample(catalogue, catalogue.length).map(({ id }, rank) => [id, 1 / (rank + 10) ** 0.7]));
  const readers = Array.from({ length: readerCount }, (_, index) => makeReader(index, chance));
  const interactions: Interaction[] = [];
  const perReader = shares(readers.length, wanted, chance);
  for (const [index, reader] of readers.entries()) {
    const taste = makeTaste(reader, catalogue, chance);
    const scored = catalogue.map((book) => ({ book, liking: likingOf(book, taste, moods.get(book.id) ?? []) }));
    const weights = scored.map(({ book, liking }) => (fame.get(book.id) ?? 0) * Math.exp(2 * liking));
    readBooks(reader, scored, weights, perReader[index] ?? 0, chance, interactions);
  }
  return { books: catalogue, readers, interactions: interactions.sort((a, b) => a.TIMESTAMP - b.TIMESTAMP) };
}

function makeReader(index: number, chance: Random): Reader {
  return {
    USER_ID: `U${String(index + 1).padStart(4, "0")}`,
    GENDER: chance.pick(["F", "M"]),
    AGE: Math.max(16, Math.min(88, Math.round(38 + 14 * chance.normal()))),
    LOCATION: chance.pick([10_115, 20_095, 50_667, 60_311, 70_173, 80_331, 90_402]) + chance.between(0, 9),
    MEMBERSHIP_ID: `M-${String(100_000 + index * 37)}`,
  };
}

/** Creates a reader's taste. Age influences the genres a little, so that the users' columns are informative too. */
function makeTaste(reader: Reader, catalogue: readonly Book[], chance: Random): Taste {
  const leaning =
    reader.AGE < 30
      ? ["Fantasy", "Science Fiction", "Romance"]
      : reader.AGE > 55
        ? ["History", "Biography", "Nature"]
        : [];
  const pool = [...GENRES, ...leaning, ...leaning];
  const genres = new Map(chance.sample(pool, chance.between(2, 3)).map((name, rank) => [name, 1.4 - 0.3 * rank]));
  const liked = catalogue.filter(({ categories }) => genres.has(categories[0] ?? ""));
  const authors = new Set(chance.sample(liked, 4).map(({ author }) => author));
  return { genres, authors, mood: Array.from({ length: MOODS }, () => chance.normal()) };
}

/** Returns how much a taste likes a book, from about -1 to 3. */
function likingOf(book: Book, taste: Taste, mood: readonly number[]): number {
  const [genre = "", ...related] = book.categories;
  const byGenre = taste.genres.get(genre) ?? -0.4;
  const byRelated = Math.max(0, ...related.map((name) => taste.genres.get(name) ?? 0)) * 0.4;
  const byAuthor = taste.authors.has(book.author) ? 0.8 : 0;
  const byMood = mood.reduce((sum, value, index) => sum + value * (taste.mood[index] ?? 0), 0) / MOODS;
  return byGenre + byRelated + byAuthor + 0.8 * byMood;
}

/** Splits `total` among `count` readers, log-normal: few read much, most little. As in MovieLens, at least 20 each. */
function shares(count: number, total: number, chance: Random): number[] {
  const raw = Array.from({ length: count }, () => Math.exp(0.8 * chance.normal()));
  const sum = raw.reduce((a, b) => a + b, 0);
  const least = Math.min(20, Math.floor(total / count));
  return raw.map((share) => least + Math.round((share / sum) * (total - least * count)));
}

function readBooks(
  reader: Reader,
  scored: readonly { book: Book; liking: number }[],
  weights: readonly number[],
  events: number,
  chance: Random,
  into: Interaction[],
): void {
  let sum = 0;
  const ends = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  const draw = () => scored[lowerBound(ends, chance.next() * sum)];
  const seen = new Set<string>();
  let left = events;
  for (let tries = 0; left > 0 && tries < events * 30; tries += 1) {
    const chosen = draw();
    if (!chosen || seen.has(chosen.book.id)) continue;
    seen.add(chosen.book.id);
    const { book, liking } = chosen;
    const time = START + Math.floor(chance.next() * DAYS * 86_400);
    const add = (
      EVENT_TYPE: Interaction["EVENT_TYPE"],
      TIMESTAMP: number,
      EVENT_VALUE?: number,
      IMPRESSION?: string[],
    ) => {
      into.push({ USER_ID: reader.USER_ID, ITEM_ID: book.id, EVENT_TYPE, EVENT_VALUE, TIMESTAMP, IMPRESSION });
      left -= 1;
    };
    const shown = chance.next() < IMPRESSIONS ? impression(book, draw, chance) : undefined;
    add("view", time, undefined, shown);
    if (left > 0 && chance.next() < 0.15 + 0.2 * Math.max(0, liking)) add("purchase", time + chance.between(60, 3_600));
    if (left > 0 && chance.next() < 0.35) {
      const stars = Math.max(1, Math.min(5, Math.round(2.6 + liking + 0.5 * chance.normal())));
      add("rating", time + chance.between(1, 14) * 86_400, stars);
    }
  }
}

/** Returns up to ten books in random order, including the chosen one. */
function impression(book: Book, draw: () => { book: Book } | undefined, chance: Random): string[] {
  const others = Array.from({ length: 9 }, () => draw()?.book.id ?? book.id);
  const shown = [...new Set([book.id, ...others])];
  return chance.sample(shown, shown.length);
}

/** Returns the first index whose value is above `value`. */
function lowerBound(ends: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
