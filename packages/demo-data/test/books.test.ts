import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { books, paraphrases } from "../books.ts";

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

test("have unique titles even when the words no longer suffice", () => {
  assert.is(new Set(books(12_000).map((book) => book.title)).size, 12_000);
});

test("have two to four sentences without unfilled placeholders", () => {
  const wrong = catalogue.filter(({ description }) => {
    const sentences = description.split(/[.?!](?: |$)/).length - 1;
    return /[{}]/.test(description) || sentences < 2 || sentences > 4;
  });
  assert.equal(wrong, []);
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

test("are found by searches in other words, which share hardly a word with them", () => {
  const text = new Map(catalogue.map(({ id, description }) => [id, description.toLowerCase()]));
  const all = paraphrases();
  assert.is(all.length, 120);
  assert.equal(new Set(all.flatMap(({ relevant }) => relevant)).size, 3_000);
  const sharing = all.filter(({ query, relevant }) => {
    const words = query
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 4);
    return relevant.some((id) => words.filter((word) => text.get(id)?.includes(word)).length > 1);
  });
  assert.equal(
    sharing.map(({ query }) => query),
    [],
  );
});

test("share authors, so that models can learn from the author", () => {
  const authors = new Set(catalogue.map((book) => book.author)).size;
  assert.ok(authors > 200 && authors < 600, `${authors} authors`);
});

test.run();
