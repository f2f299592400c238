import { globSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { searchedTexts } from "../../../../lib/search/suggest/searched-texts.ts";
import { scratchFolder } from "../../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../../fixtures/env.ts";
import { storedSearch } from "../../../fixtures/stored-lines.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "../../recommendation/etl/memory.ts";

const test = suite("texts that others searched for");

const NOW = new Date("2026-11-20T13:00:00Z");
const DAY_MS = 86_400_000;

type Change = NonNullable<Parameters<typeof storedSearch>[0]>;

let count = 0;
const search = (
  userId: string | null,
  userQuery: string | null,
  daysAgo = 0,
  change: Change = {},
): [string, string] => {
  const timestamp = new Date(NOW.getTime() - daysAgo * DAY_MS - 3_600_000);
  count += 1;
  const line = storedSearch({ userId, userQuery, timestamp, queryId: `q${count}`, ...change });
  return [timestamp.toISOString().slice(0, 10), line];
};
/** Searches of as many users as there are. */
const crowd = (users: number, text: string, daysAgo = 0, change: Change = {}) =>
  Array.from({ length: users }, (_, user) => search(`user-${user}`, text, daysAgo, change));

/** Returns the texts of an index, by a bucket that has these lines. */
async function textsOf(
  lines: ReadonlyArray<[string, string]>,
  {
    packed = true,
    until = Number.MAX_SAFE_INTEGER,
    damaged = [] as Uint8Array[],
    folder = tmpdir(),
    store = new MemoryStore(),
  } = {},
) {
  for (const [day, own] of Map.groupBy(lines, ([day]) => day)) {
    const text = own.map(([, line]) => line).join("");
    await store.write(`logs/search/day=${day}/part-1`, packed ? gzipSync(text) : text);
  }
  for (const [part, bytes] of damaged.entries()) await store.write(`logs/search/day=2026-11-20/broken-${part}`, bytes);
  const options = { store, limits: { folder }, now: NOW, until };
  const found = await searchedTexts([{ index: "books", days: 30, min_users: 3, half_life_days: 7 }], options);
  return found.get("books") ?? { texts: [], days: 0, damaged: 0 };
}

test("counts users, not searches, and nobody without a user id", async () => {
  const { texts } = await textsOf([
    ...crowd(3, "salt road"),
    ...crowd(2, "two of us"),
    ...Array.from({ length: 50 }, () => search("user-1", "again and again")),
    ...Array.from({ length: 5 }, () => search(null, "nobody")),
    ...crowd(9, "another index", 0, { index: "films" }),
    ...crowd(3, "x".repeat(201)),
    ...crowd(3, " "),
    search("user-1", null),
  ]);
  assert.equal(
    texts.map(({ text, source }) => [text, source]),
    [["salt road", "searches"]],
  );
});

for (const [name, searches, suggested] of [
  ["other blanks and letters of another case", ["Salt  Road", " salt road ", "SALT\troad"], ["salt road"]],
  ["accents, the usual spelling is shown", ["Café", "cafe", "café"], ["café"]],
  ["a dotted capital I", ["İstanbul", "istanbul", "ISTANBUL"], ["istanbul"]],
  ["characters that nobody sees", ["sa\u00adlt", "\u202esalt", "salt\u001b"], ["salt"]],
  ["news is no rice", ["ข่าว", "ข้าว", "ขาว"], []],
  ["one sign is a word", ["茶", "茶", "茶"], ["茶"]],
  ["one letter is a beginning", ["s", "S", "s"], []],
] as const) {
  test(`counts equal texts as one: ${name}`, async () => {
    const { texts } = await textsOf(searches.map((text, user) => search(`user-${user}`, text)));
    assert.equal(
      texts.map(({ text }) => text),
      suggested,
    );
  });
}

test("leaves out texts by which most users find nothing", async () => {
  const nothing: Change = { total: 0, hitIds: [] };
  const { texts } = await textsOf([
    ...crowd(5, "never found", 0, nothing),
    ...crowd(5, "sold out", 3),
    ...crowd(5, "sold out", 1, nothing),
    ...crowd(5, "back again", 3, nothing),
    ...crowd(5, "back again", 1),
    ...crowd(5, "uncounted", 0, { total: null }),
    ...crowd(2, "found by two"),
    search("user-8", "found by two", 0, nothing),
  ]);
  assert.equal(texts.map(({ text }) => text).toSorted(), ["back again", "uncounted"]);
});

test("puts new texts before old ones, and forgets those of earlier days", async () => {
  const { texts, days } = await textsOf(
    [...crowd(9, "long ago", 31), ...crowd(5, "last week", 14), ...crowd(4, "now")],
    {
      packed: false,
    },
  );
  assert.equal(
    texts.map(({ text }) => text),
    ["now", "last week"],
  );
  // Of two half-lives.
  assert.ok(Math.abs((texts[1]?.weight ?? 0) - 5 / 4) < 0.02, String(texts[1]?.weight));
  assert.is(days, 30);
});

test("reads the last days first, and says when it had no time for all", async () => {
  const { texts, days } = await textsOf(crowd(3, "salt road"), { until: 0 });
  assert.equal([texts, days], [[], 0]);
});

test("leaves out damaged objects, counts them and reads all others", async () => {
  const whole = gzipSync(
    crowd(200, "lost")
      .map(([, line]) => line)
      .join(""),
  );
  const scrambled = Buffer.from(whole);
  scrambled.fill(0xff, 20, 60);
  const tooLong = Buffer.from(`{"user_query": "${"x".repeat(2_000_000)}"}\n`);
  const lines = [...crowd(3, "salt road"), ...crowd(3, "another day", 1)];
  const read = await textsOf(lines, { damaged: [whole.subarray(0, 100), scrambled, tooLong] });
  assert.equal(read.texts.map(({ text }) => text).toSorted(), ["another day", "salt road"]);
  // DuckDB reads a file that ends too early as far as it goes, and passes over lines that are too long or no JSON.
  const { damaged } = await textsOf(lines, { damaged: [Buffer.from("not JSON\n"), Buffer.alloc(0)] });
  assert.equal([read.damaged, damaged], [1, 0]);
});

const broken = () => Buffer.concat([Buffer.from([0x1f, 0x8b, 0xff]), Buffer.alloc(100)]);

test("fails if the engine cannot read objects for another reason than their content", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "searched-texts");
  /** The content of an object, which arrives when the file of another one is a link that the engine may not follow. */
  async function* linking() {
    const others = () => globSync(join(folder, "*/1.jsonl"));
    while (others().length === 0) await setImmediate();
    for (const file of others()) {
      rmSync(file);
      symlinkSync(folder, file);
    }
    yield Buffer.from("not JSON\n");
  }
  class LinkingStore extends MemoryStore {
    override async read(key: string) {
      return key.endsWith("broken-0") ? linking() : super.read(key);
    }
  }
  const given = { packed: false, damaged: [Buffer.alloc(0)], folder, store: new LinkingStore() };
  assert.match(String(await textsOf(crowd(3, "salt road"), given).catch(String)), "Permission Error");
  rmSync(folder, { recursive: true });
});

test("fails if all objects are damaged, but not without any", async () => {
  const failed = await textsOf([], { damaged: [broken(), broken()] }).catch(String);
  assert.match(String(failed), "None of the 2 objects of the request log can be read");
  assert.equal(await textsOf([]), { texts: [], days: 30, damaged: 0 });
});

test.run();
