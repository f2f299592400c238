import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateSchemas } from "@relevance/lib/recommendation/schema/generate.ts";
import { schemaTable } from "@relevance/lib/recommendation/schema/write.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { demoFiles, writeDemoFiles } from "../files.ts";
import { demoData } from "../readers.ts";

const test = suite("demo readers");
const data = demoData();
const small = { books: 200, readers: 30, interactions: 900 };

test("are the same every time, and differ with the seed", () => {
  assert.equal(demoFiles(demoData(small)), demoFiles(demoData(small)));
  assert.is.not(demoFiles(demoData(small)).users, demoFiles(demoData({ ...small, seed: 2 })).users);
});

test("resemble MovieLens: 600 readers, about 60,000 events, at least 20 each", () => {
  const events = new Map<string, number>();
  for (const { USER_ID } of data.interactions) events.set(USER_ID, (events.get(USER_ID) ?? 0) + 1);
  assert.is(events.size, 600);
  assert.ok(Math.abs(data.interactions.length - 60_000) < 600, `${data.interactions.length} events`);
  assert.ok(Math.min(...events.values()) >= 20);
});

test("have events in chronological order, with values only on ratings", () => {
  const times = data.interactions.map(({ TIMESTAMP }) => TIMESTAMP);
  assert.equal(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.ok(times.every(Number.isInteger));
  const wrong = data.interactions.filter(
    ({ EVENT_TYPE, EVENT_VALUE = 0 }) => (EVENT_TYPE === "rating") !== (EVENT_VALUE >= 1 && EVENT_VALUE <= 5),
  );
  assert.equal(wrong, []);
});

test("see impressions of at most ten existing books, including the chosen one", () => {
  const known = new Set(data.books.map(({ id }) => id));
  const shown = data.interactions.filter(({ IMPRESSION }) => IMPRESSION);
  assert.ok(shown.length > 3_000);
  const wrong = shown.filter(
    ({ ITEM_ID, IMPRESSION = [] }) =>
      IMPRESSION.length > 10 || !IMPRESSION.includes(ITEM_ID) || !IMPRESSION.every((id) => known.has(id)),
  );
  assert.equal(wrong, []);
});

test("have tastes that can be learned: similar readers predict better than popularity", () => {
  const views = data.interactions.filter(({ EVENT_TYPE }) => EVENT_TYPE === "view");
  const cut = Math.floor(views.length * 0.8);
  const readBy = new Map<string, Set<string>>();
  const read = new Map<string, Set<string>>();
  const put = (map: Map<string, Set<string>>, key: string, value: string) => {
    map.set(key, (map.get(key) ?? new Set()).add(value));
  };
  for (const { USER_ID, ITEM_ID } of views.slice(0, cut)) {
    put(read, USER_ID, ITEM_ID);
    put(readBy, ITEM_ID, USER_ID);
  }
  const later = new Map<string, Set<string>>();
  for (const { USER_ID, ITEM_ID } of views.slice(cut)) put(later, USER_ID, ITEM_ID);
  const hits = { popular: 0, neighbours: 0 };
  for (const [user, own] of [...read].slice(0, 100)) {
    const rank = (score: (item: string) => number) =>
      [...readBy.keys()]
        .filter((item) => !own.has(item))
        .map((item) => ({ item, score: score(item) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 25)
        .filter(({ item }) => later.get(user)?.has(item)).length;
    const alike = new Map<string, number>();
    for (const item of own) {
      for (const other of readBy.get(item) ?? []) {
        alike.set(other, (alike.get(other) ?? 0) + 1 / (read.get(other)?.size ?? 1));
      }
    }
    hits.popular += rank((item) => readBy.get(item)?.size ?? 0);
    hits.neighbours += rank((item) =>
      [...(readBy.get(item) ?? [])].reduce((sum, other) => sum + (alike.get(other) ?? 0), 0),
    );
  }
  assert.ok(hits.neighbours > 1.5 * hits.popular, JSON.stringify(hits));
});

test("produce exactly the tables of the specification", async () => {
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  const { users, items, interactions } = await writeDemoFiles(data, folder);
  const { schemas } = await generateSchemas({
    user: users,
    item: items,
    interaction: interactions,
    textualFields: ["TITLE"],
  });
  const flags = (table: string) =>
    table
      .split("\n")
      .slice(2)
      .map((row) => row.replaceAll(/[ |]+/g, " ").trim());
  assert.equal(flags(schemaTable(schemas.user)), [
    "IS_ACTIVE string X X",
    "USER_ID string X X",
    "GENDER string O X",
    "AGE int X X",
    "LOCATION int X X",
    "MEMBERSHIP_ID string X X",
  ]);
  assert.equal(flags(schemaTable(schemas.item)), [
    "IS_ACTIVE string X X",
    "TEXTUAL_FIELD null or string X O",
    "ITEM_ID string X X",
    "AUTHOR string O X",
    "CATEGORIES string O X",
  ]);
  assert.equal(flags(schemaTable(schemas.interaction)).at(-1), "IMPRESSION string or null X X");
  assert.match(readFileSync(items, "utf8"), /^ITEM_ID,TITLE,AUTHOR,CATEGORIES\nB0001,/);
  rmSync(folder, { recursive: true });
});

test.run();
