import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { type Book, books, subjectBooks } from "../books.ts";
import { PHRASES } from "../subjects.ts";

const test = suite("demo books");
const catalogue = books();

test("are the same every time, differ with the seed, and a shorter catalogue begins a longer one", () => {
  assert.equal(books(), catalogue);
  assert.is.not(books(1, 7)[0]?.title, catalogue[0]?.title);
  assert.equal(books(100), catalogue.slice(0, 100));
});

test("are 3,000, with ids B0001 to B3000 and unique titles", () => {
  assert.is(catalogue.length, 3_000);
  assert.equal([catalogue[0]?.id, catalogue.at(-1)?.id], ["B0001", "B3000"]);
  assert.is(new Set(catalogue.map((book) => book.title)).size, 3_000);
});

test("have unique titles however many they are", () => {
  assert.is(new Set(books(12_000).map((book) => book.title)).size, 12_000);
});

test("have texts and numbers of one subject, in its language", () => {
  const wrong = subjectBooks().filter(({ book, subject }) => {
    const known = [...subject.sentences, ...PHRASES.editions[subject.language].map(({ note }) => note)];
    const rest = known.reduce((text, sentence) => text.replace(sentence, ""), book.description);
    const [low, high] = subject.prices;
    const [first, last] = subject.years;
    return (
      rest.trim() !== "" ||
      !subject.titles.some((title) => book.title.startsWith(title)) ||
      (book.subtitle !== undefined && !subject.subtitles.includes(book.subtitle)) ||
      book.categories[0] !== subject.genre ||
      book.language !== subject.language ||
      !(book.price >= low - 0.01 && book.price < high && /\.99$/.test(String(book.price))) ||
      !(book.published >= String(first) && book.published < String(last + 9))
    );
  });
  assert.equal(wrong, []);
});

test("have near-duplicates and series: an edition has the text of its title, a volume one of its own", () => {
  const byTitle = new Map(catalogue.map((book) => [book.title, book]));
  const editions = catalogue.filter(({ title }) => title.endsWith(")"));
  const volumes = catalogue.filter(({ title, series }) => series !== undefined && title !== series);
  assert.ok(editions.length > 200 && volumes.length > 1_500, `${editions.length} editions, ${volumes.length} volumes`);
  const first = (title: string) => byTitle.get(title.replace(/ \([^)]+\)$/, ""));
  assert.ok(
    editions.every(({ title, author, description }) => {
      const own = first(title);
      return own?.author === author && description.startsWith(own.description);
    }),
  );
  assert.ok(volumes.every(({ series = "", author }) => byTitle.get(series)?.author === author));
  assert.ok(new Set(volumes.map(({ description }) => description)).size > 0.95 * volumes.length);
});

test("are mostly in English and in stock, some in German and French", () => {
  const share = (condition: (book: Book) => boolean) => catalogue.filter(condition).length / catalogue.length;
  for (const language of ["de", "fr"]) assert.ok(share((book) => book.language === language) > 0.03, language);
  const inStock = share((book) => book.in_stock);
  assert.ok(inStock > 0.8 && inStock < 0.9, String(inStock));
});

test("have distinct categories and a valid date", () => {
  const wrong = catalogue.filter(
    ({ categories, published }) =>
      categories.length < 2 ||
      new Set(categories).size < categories.length ||
      new Date(published).toISOString().slice(0, 10) !== published,
  );
  assert.equal(wrong, []);
});

test("share authors, so that models can learn from the author", () => {
  const authors = new Set(catalogue.map((book) => book.author)).size;
  assert.ok(authors > 200 && authors < 600, `${authors} authors`);
});

test.run();
