import { type Random, random } from "./random.ts";
import { type Language, PHRASES, SUBJECTS, type Subject } from "./subjects.ts";

/** One book of the demo catalogue: its ID and the fields of the index `books`. */
export interface Book {
  /** `B0001`, `B0002`, … */
  id: string;
  title: string;
  subtitle?: string;
  author: string;
  /** The genre first, then one or two related categories. */
  categories: readonly string[];
  /** Three or four sentences. */
  description: string;
  /** A date such as `1987-04-21`. */
  published: string;
  price: number;
  language: Language;
  in_stock: boolean;
  /** The title of the first volume. */
  series?: string;
}

/** A book of the catalogue, and the subject that its texts come from. */
export interface SubjectBook {
  book: Book;
  subject: Subject;
}

/** A title of a subject that is not a volume or an edition of an earlier one. */
interface Work {
  title: string;
  subtitle: string | undefined;
  author: string;
  categories: readonly string[];
  sentences: readonly string[];
  year: number;
}

/** The last year in which books of the demo were published. */
const LAST_YEAR = 2024;

/** Of this many titles of a subject, one is published in several editions, the others continue as series. */
const TITLES_PER_EDITIONS = 8;

/** Generates the same catalogue for the same seed. A longer one starts with the titles of a shorter one. */
export function books(count = 3_000, seed = 1): Book[] {
  return subjectBooks(count, seed).map(({ book }) => book);
}

/** Generates the books of {@link books} with their subjects. */
export function subjectBooks(count = 3_000, seed = 1): SubjectBook[] {
  const chance = random(seed);
  const authors = createAuthors(random(seed + 1));
  const works = new Map<Subject, Work[]>(SUBJECTS.map((subject) => [subject, []]));
  const published = new Map<Subject, number>();
  return Array.from({ length: count }, (_, index) => {
    const subject = chance.pick(SUBJECTS);
    const number = published.get(subject) ?? 0;
    published.set(subject, number + 1);
    const own = works.get(subject) ?? [];
    const work = own[number % subject.titles.length] ?? createWork(subject, own.length, authors, chance);
    if (number < subject.titles.length) own.push(work);
    const id = `B${String(index + 1).padStart(4, "0")}`;
    return { book: { id, ...createBook(subject, work, number, chance) }, subject };
  });
}

function createWork(subject: Subject, at: number, author: (genre: string) => string, chance: Random): Work {
  const [first, last] = subject.years;
  return {
    title: subject.titles[at] ?? "",
    subtitle: createSubtitle(subject, chance),
    author: author(subject.genre),
    categories: [subject.genre, ...chance.sample(subject.related, chance.between(1, 2))],
    sentences: chance.sample(subject.sentences, chance.between(3, 4)),
    year: chance.between(first, Math.max(first, last - 8)),
  };
}

const createSubtitle = ({ subtitles }: Subject, chance: Random) =>
  chance.next() < 0.8 ? chance.pick(subtitles) : undefined;

/** Creates the book of a number within its subject: first each title once, then their volumes and editions. */
function createBook(subject: Subject, work: Work, number: number, chance: Random): Omit<Book, "id"> {
  const { language, titles, sentences } = subject;
  const round = Math.floor(number / titles.length);
  const hasEditions = (number % titles.length) % TITLES_PER_EDITIONS === 0;
  const edition = hasEditions ? PHRASES.editions[language][round - 1] : undefined;
  const volume = PHRASES.volumes[language].replace("{number}", String(round + 1));
  const year = Math.min(LAST_YEAR, work.year + 2 * round);
  const [low, high] = subject.prices;
  // Every edition has the text of its title, and every volume a text of its own.
  const isSame = edition !== undefined || round === 0;
  const subtitle = isSame ? work.subtitle : createSubtitle(subject, chance);
  const chosen = isSame ? work.sentences : chance.sample(sentences, work.sentences.length);
  return {
    title: (edition?.title ?? (round > 0 ? volume : "{title}")).replace("{title}", work.title),
    ...(subtitle !== undefined && { subtitle }),
    author: work.author,
    categories: work.categories,
    description: [...chosen, ...(edition ? [edition.note] : [])].join(" "),
    published: `${year}-${twoDigits(chance.between(1, 12))}-${twoDigits(chance.between(1, 28))}`,
    price: Number((chance.between(low, high) - 0.01).toFixed(2)),
    language,
    in_stock: chance.next() < 0.85,
    ...(!hasEditions && { series: work.title }),
  };
}

/**
 * Returns a function that names the author of another work of a genre: mostly one of the genre, so that a recommender
 * can learn from authors, at times one of another genre, or a new one.
 */
function createAuthors(chance: Random): (genre: string) => string {
  const { first, last } = PHRASES.authors;
  const names = new Set<string>();
  const byGenre = new Map<string, string[]>();
  return (genre) => {
    const own = byGenre.get(genre) ?? [];
    byGenre.set(genre, own);
    const drawn = chance.next();
    if (drawn < 0.55 && own.length > 0) return chance.pick(own);
    const known = [...names];
    let name = drawn > 0.9 && known.length > 0 ? chance.pick(known) : "";
    while (!name || (drawn <= 0.9 && names.has(name))) name = `${chance.pick(first)} ${chance.pick(last)}`;
    names.add(name);
    own.push(name);
    return name;
  };
}

const twoDigits = (value: number) => String(value).padStart(2, "0");
