import * as assert from "uvu/assert";
import {
  currentKey,
  type DocumentBucket,
  documentReader,
  parsedBy,
  type ReadIfChanged,
  versionedDocument,
} from "../../../../lib/platform/aws/versioned-documents.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { suite } from "../../../suite.ts";
import { MemoryStore } from "../../recommendation/etl/memory.ts";

const test = suite("documents with versions");

/** A bucket in memory, in which something else can happen before an object is written. */
class Bucket extends MemoryStore implements DocumentBucket {
  before: (key: string) => Promise<void> = async () => {};

  override async write(key: string, body: string) {
    await this.before(key);
    await super.write(key, body);
  }

  async create(key: string, body: string): Promise<boolean> {
    if (this.objects.has(key)) return false;
    await super.write(key, body);
    return true;
  }
}

const at = new Date("2026-11-25T12:00:00Z");
const current = (bucket: Bucket) => JSON.parse(bucket.text(currentKey("rules")));

test("keeps each version with its author, and publishes the newest", async () => {
  const bucket = new Bucket();
  const document = versionedDocument(bucket, "rules");
  assert.is(await document.newest(), undefined);
  await document.write(0, { by: "arn:ann", at, content: ["a"] });
  await document.write(1, { by: "arn:bob", at, content: ["b"] });
  await document.write(2, { by: "arn:ann", at, content: ["a"], revertsTo: 1 });
  assert.equal(await document.numbers(), [3, 2, 1]);
  const third = { version: 3, written_at: at.toISOString(), written_by: "arn:ann", reverts_to: 1, content: ["a"] };
  assert.equal([await document.newest(), current(bucket)], [third, third]);
  assert.equal((await document.read(2))?.written_by, "arn:bob");
});

test("writes nothing over a version that somebody else has written", async () => {
  const bucket = new Bucket();
  const document = versionedDocument(bucket, "rules");
  await document.write(0, { by: "ann", at, content: ["a"] });
  assert.is(await document.write(0, { by: "bob", at, content: ["b"] }), undefined);
  assert.equal([current(bucket).written_by, await document.numbers()], ["ann", [1]]);
});

test("publishes the newest version, whoever of two is slower", async () => {
  const bucket = new Bucket();
  const document = versionedDocument(bucket, "rules");
  // While the first version is copied to where functions read, another one is written and copied.
  bucket.before = async (key) => {
    if (key !== currentKey("rules")) return;
    bucket.before = async () => {};
    await versionedDocument(bucket, "rules").write(1, { by: "bob", at, content: ["b"] });
  };
  await document.write(0, { by: "ann", at, content: ["a"] });
  assert.is(current(bucket).version, 2);
});

test("publishes a version that an interrupted run has only written", async () => {
  const bucket = new Bucket();
  const document = versionedDocument(bucket, "rules");
  bucket.before = async () => {
    throw new Error("interrupted");
  };
  await document.write(0, { by: "ann", at, content: ["a"] }).catch(() => {});
  bucket.before = async () => {};
  await document.publish();
  assert.is(current(bucket).version, 1);
});

/** A reader of a document whose object the test sets; undefined makes reads fail. */
function reading(options: { isOptional?: boolean } = {}) {
  let time = 0;
  const state = { text: undefined as string | undefined, reads: 0, etags: [] as (string | undefined)[] };
  const read: ReadIfChanged = async (etag) => {
    state.reads += 1;
    state.etags.push(etag);
    if (state.text === undefined) throw Object.assign(new Error("no"), { name: "SlowDown" });
    return etag === state.text ? "unchanged" : { text: state.text, etag: state.text };
  };
  const parse = (content: unknown) => {
    if (!Array.isArray(content)) throw new Error("not of this form");
    return content as string[];
  };
  const get = documentReader("the rules", read, parsedBy(parse), { now: () => time, ...options });
  return { state, get: () => get(deadlineIn(1_000)), wait: (ms: number) => (time += ms) };
}

const version = (number: number, content: unknown) =>
  JSON.stringify({ version: number, written_at: "", written_by: "ann", content });

/** A document of a few bytes that ends a node of the cluster, if it is a query. */
const DEEP = JSON.parse(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`);

for (const [what, content, reason] of [
  ["nested deeper than a request may be", ["a", DEEP], /^the rules is nested deeper than 400 levels at content\.1\.a/],
  ["larger than functions can keep", ["a".repeat(21_000_000)], /^the rules has 21\d+ bytes; at most \d+ are read$/],
] as const) {
  test(`a document that is ${what} is not used, and the version before stays, with the reason`, async () => {
    const { state, get, wait } = reading();
    state.text = version(2, content);
    await get().then(
      () => assert.unreachable(),
      () => {},
    );
    state.text = version(1, ["a"]);
    await get();
    state.text = version(2, content);
    wait(30_000);
    const { failure, ...used } = await get();
    assert.equal(used, { version: 1, content: ["a"] });
    assert.match(failure?.reason ?? "", reason);
  });

  test(`a document that is ${what} is not written, also not as a draft`, async () => {
    const bucket = new Bucket();
    const document = versionedDocument(bucket, "rules");
    for (const write of [document.write, document.writeDraft]) {
      await write(0, { by: "ann", at, content }).then(
        () => assert.unreachable(),
        (error) => {
          assert.match(error.message, /400 levels|bytes/);
        },
      );
    }
    assert.is(bucket.objects.size, 0);
  });
}

test("reads a document at most every half minute, and once for requests at a time", async () => {
  const { state, get, wait } = reading();
  state.text = version(1, ["a"]);
  assert.equal(await Promise.all([get(), get()]), [
    { version: 1, content: ["a"] },
    { version: 1, content: ["a"] },
  ]);
  await get();
  assert.is(state.reads, 1);
  wait(30_000);
  await get();
  assert.equal(state.etags, [undefined, state.text]);
  state.text = version(2, ["b"]);
  wait(30_000);
  assert.equal(await get(), { version: 2, content: ["b"] });
});

test("goes on with the version before, and says why, until it can read again", async () => {
  const { state, get, wait } = reading();
  await get().then(
    () => assert.unreachable(),
    (error) => assert.is(error.name, "SlowDown"),
  );
  state.text = version(1, ["a"]);
  assert.equal(await get(), { version: 1, content: ["a"] });
  for (const [text, reason] of [
    [undefined, "the rules is throttled"],
    [version(2, "of a later form"), "the rules failed"],
  ] as const) {
    state.text = text;
    wait(30_000);
    const found = await get();
    assert.equal([found.version, found.failure?.reason], [1, reason]);
  }
  state.text = version(1, ["a"]);
  wait(5_000);
  assert.equal(await get(), { version: 1, content: ["a"] });
});

for (const isOptional of [true, false]) {
  test(`${isOptional ? "does not ask again at once" : "asks again"} after the first read failed`, async () => {
    const { state, get, wait } = reading({ isOptional });
    const failing = () => get().catch((error: Error) => error.name);
    assert.equal([await failing(), await failing(), state.reads], ["SlowDown", "SlowDown", isOptional ? 1 : 2]);
    wait(4_999);
    state.text = version(1, ["a"]);
    if (isOptional) assert.is(await failing(), "SlowDown");
    wait(1);
    assert.equal(await get(), { version: 1, content: ["a"] });
  });
}

test("tells in which form a document was written", async () => {
  const bucket = new Bucket();
  await versionedDocument(bucket, "rules").write(0, { by: "ann", at, content: ["a"], form: 7 });
  const read: ReadIfChanged = async () => ({ text: bucket.text(currentKey("rules")), etag: "1" });
  const get = documentReader(
    "the rules",
    read,
    parsedBy((content, form) => ({ content, form })),
  );
  assert.equal((await get(deadlineIn(1_000))).content, { content: ["a"], form: 7 });
});

test.run();
