import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { subjectBooks } from "../books.ts";
import { demoQueries, judgmentsFile, QUERY_KINDS } from "../queries.ts";
import { SUBJECTS } from "../subjects.ts";

const test = suite("demo queries");
const queries = demoQueries();

test("are 150 of four kinds, the same every time, some misspelt, and about every subject", () => {
  assert.equal(demoQueries(), queries);
  assert.is(new Set(queries.map(({ text }) => text)).size, 150);
  for (const kind of QUERY_KINDS) assert.ok(queries.filter((one) => one.kind === kind).length >= 37, kind);
  assert.ok(queries.filter(({ isMisspelt }) => isMisspelt).length > 10);
  const subjectOf = new Map(subjectBooks().map(({ book, subject }) => [book.id, subject.name]));
  const best = queries.map(({ grades }) => subjectOf.get([...grades].find(([, grade]) => grade === 3)?.[0] ?? ""));
  assert.is(new Set(best).size, SUBJECTS.length);
});

test("grade the books of their subject highest, then near ones, and of a title the book before its volumes", () => {
  const books = new Map(subjectBooks().map((one) => [one.book.id, one]));
  const wrong = queries.filter(({ kind, text, grades }) => {
    const graded = [...grades].map(([id, grade]) => ({ grade, ...books.get(id) }));
    const [own] = graded.filter(({ grade }) => grade === 3);
    if (kind !== "title") return !graded.every(({ grade, subject }) => (subject === own?.subject ? 3 : 1) === grade);
    const title = (grade: number) => graded.filter((one) => one.grade === grade).map(({ book }) => book?.title ?? "");
    return title(3).join() !== text || !title(2).every((one) => one.startsWith(text)) || title(2).length === 0;
  });
  assert.equal(wrong, []);
});

const wordsIn = (text: string) => new Set(text.toLowerCase().match(/\p{L}{5,}/gu));

test("paraphrase in other words: few books have more than one of a paraphrase's", () => {
  const sharing = subjectBooks().filter(({ book, subject: { queries: own } }) => {
    const text = wordsIn(`${book.title} ${book.description}`);
    return [...wordsIn(own.paraphrase)].filter((word) => text.has(word)).length > 1;
  });
  assert.ok(sharing.length < 60, `${sharing.length} books`);
});

test("are written as a judgments file", () => {
  const [header, first = ""] = judgmentsFile(queries, "books").split("\n");
  assert.is(header, "query,doc,grade,index");
  assert.match(first, /,B\d{4},[123],books$/);
});

test.run();
