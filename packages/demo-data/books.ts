import { type Genre, PHRASES, type Plot } from "./phrases.ts";
import { type Random, random } from "./random.ts";

/** One book of the demo catalogue: its ID and the fields of the index `books`. */
export interface Book {
  /** `B0001`, `B0002`, … */
  id: string;
  title: string;
  author: string;
  /** The genre first, then one or two related categories. */
  categories: readonly string[];
  /** Two or three sentences. */
  description: string;
  /** A date such as `1987-04-21`. */
  published: string;
}

/** Approximate number of titles per author, so that a recommender can learn from authors. */
const BOOKS_PER_AUTHOR = 8;

interface Author {
  name: string;
  genres: readonly Genre[];
  firstYear: number;
}

/** Generates the same catalogue for the same seed. A longer one starts with the titles of a shorter one. */
export function books(count = 3_000, seed = 1): Book[] {
  return generate(count, seed).map(({ book }) => book);
}

/** A search with other words than the books that are relevant to it. */
export interface Paraphrase {
  query: string;
  /** The IDs of all books with the described plot. */
  relevant: readonly string[];
}

/** Returns a search for each plot of the catalogue of the same count and seed. */
export function paraphrases(count = 3_000, seed = 1): Paraphrase[] {
  const found = Map.groupBy(generate(count, seed), ({ plot }) => plot.query);
  return [...found].map(([query, those]) => ({ query, relevant: those.map(({ book }) => book.id) }));
}

function generate(count: number, seed: number): { book: Book; plot: Plot }[] {
  const authors = makeAuthors(random(seed), Math.ceil(PHRASES.authors.last.length * 5));
  const chance = random(seed + 1);
  const titles = new Set<string>();
  return Array.from({ length: count }, (_, index) => {
    // The pool of authors grows with the catalogue, which keeps the number of titles per author about the same.
    const author = chance.pick(authors.slice(0, Math.max(1, Math.min(authors.length, 40 + index / BOOKS_PER_AUTHOR))));
    const genre = chance.next() < 0.8 ? author.genres[0] : chance.pick(author.genres);
    if (!genre) throw new Error(`author ${author.name} has no genre`);
    const plot = chance.pick(genre.plots);
    const book = {
      id: `B${String(index + 1).padStart(4, "0")}`,
      title: uniqueTitle(genre, chance, titles),
      author: author.name,
      categories: [genre.name, ...chance.sample(genre.related, chance.between(1, 2))],
      description: describe(genre, plot, chance),
      published: date(author, chance),
    };
    return { book, plot };
  });
}

function makeAuthors(chance: Random, count: number): Author[] {
  const { first, last } = PHRASES.authors;
  const names = new Set<string>();
  while (names.size < count) names.add(`${chance.pick(first)} ${chance.pick(last)}`);
  return [...names].map((name) => ({
    name,
    genres: chance.sample(PHRASES.genres, chance.between(1, 2)),
    firstYear: chance.between(1955, 2015),
  }));
}

function uniqueTitle(genre: Genre, chance: Random, taken: Set<string>): string {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const title = makeTitle(genre, chance);
    if (taken.has(title)) continue;
    taken.add(title);
    return title;
  }
  for (let part = 2; ; part += 1) {
    const title = `${makeTitle(genre, chance)}, Volume ${part}`;
    if (taken.has(title)) continue;
    taken.add(title);
    return title;
  }
}

function makeTitle(genre: Genre, chance: Random): string {
  const adjective = chance.pick(genre.adjectives);
  const [noun = "", other = ""] = chance.sample(genre.nouns, 2);
  const place = chance.pick(genre.places);
  return chance.pick([
    `The ${adjective} ${noun}`,
    `The ${noun} of ${place}`,
    `${article(adjective)} ${adjective} ${noun}`,
    `The ${noun} and the ${other}`,
    `${noun} and ${other}: Notes from ${place}`,
    `Return to ${place}`,
    `The ${noun} at the End of ${place}`,
    `Before the ${adjective} ${noun}`,
    `${capital(place)}, or the ${adjective} ${noun}`,
    `The ${noun} Beneath ${place}`,
    `What the ${noun} Knew`,
    `My ${adjective} ${noun}`,
    `The ${adjective} ${noun} of ${place}`,
  ]);
}

function describe(genre: Genre, { text: plot }: Plot, chance: Random): string {
  const templates = chance.next() < 0.85 ? [plot, chance.pick(genre.closings)] : [plot];
  // One hero, place and thing per book: introduced first ("a forged portrait"), then repeated ("the forged portrait").
  const chosen = new Map<string, string>();
  const fill = (template: string) =>
    template.replace(/\{(\w+)\}/g, (_, mark: string) => {
      const slot = mark.toLowerCase();
      const earlier = chosen.get(slot);
      const text = earlier?.replace(/^an? /, "the ") ?? chance.pick(genre.slots[slot] ?? PHRASES.slots[slot] ?? []);
      if (!earlier) chosen.set(slot, text);
      return mark === slot ? text : capital(text);
    });
  return templates.map((template) => capital(fill(template).replace(/\b([Aa]) (?=[aeiou])/g, "$1n "))).join(" ");
}

function date(author: Author, chance: Random): string {
  const year = Math.min(2024, author.firstYear + chance.between(0, 30));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${year}-${two(chance.between(1, 12))}-${two(chance.between(1, 28))}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const article = (word: string) => (/^[AEIOU]/.test(word) ? "An" : "A");
