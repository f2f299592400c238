import { gzipSync } from "node:zlib";
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { suggestionsAlias } from "../../lib/search/suggest/name.ts";
import { createBucket } from "../../packages/local/dev/clients.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { API_KEY, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { storedSearch } from "../fixtures/stored-lines.ts";
import { KEYS, SEARCHES, SUGGEST, suggestionsFunction, suggestionsWorld } from "../fixtures/suggestions.ts";
import { suite } from "../suite.ts";

const test = suite("suggestions");
const cloud = await sharedCloud();
const names = namesOf({ project: "test", account: cloud.accountId, region: cloud.region });
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
await startUpstreams();

test.before(async () => {
  // The bucket may be there: every run of the tests has the same one.
  await createBucket(s3, names.bucket(), cloud.region).catch(() => undefined);
});

for (const cluster of await clusters()) {
  let gateway: TestGateway;
  const world = suggestionsWorld(cluster, () => gateway);
  const { index, unbuilt, alone, filtered, build, start, ask, textsFor, searching, indexes } = world;

  test.before(async () => {
    gateway = await start();
    await world.prepare();
  });
  test.after(world.remove);

  test(`completes what is typed, most searched first (${cluster.version})`, async () => {
    const { status, body } = await ask("sal");
    assert.is(status, 200, JSON.stringify(body));
    assert.equal(body, {
      ...{ index, text: "sal", size: 10 },
      suggestions: [
        { text: "salt road", source: "searches", is_corrected: false },
        { text: "salt lake", source: "searches", is_corrected: false },
        { text: "The Salt Road", source: "titles", is_corrected: false },
      ],
      sources: ["searches", "titles"],
    });
    assert.equal(await textsFor("SALT  r"), ["salt road", "The Salt Road"]);
    assert.equal(await textsFor("road salt"), ["salt road", "The Salt Road"]);
    assert.equal(await textsFor("sal", { size: 1 }), ["salt road"]);
    assert.equal(await textsFor("creme"), ["Crème Brûlée"]);
    assert.equal(await textsFor("internationalization internationali"), ["Internationalization Internationalizations"]);
    assert.equal(await textsFor("i18"), ["I18n"]);
    assert.equal(await textsFor("zzz"), []);
    assert.equal(await textsFor("   "), []);
  });

  test(`forgives typing errors, behind what begins as typed (${cluster.version})`, async () => {
    const { body } = await ask("harry poter");
    assert.equal(body.suggestions, [
      { text: "harry potter", source: "searches", is_corrected: true },
      { text: "Harry Potter and the Goblet of Fire", source: "titles", is_corrected: true },
    ]);
    assert.equal((await textsFor("slat road"))[0], "salt road");
    assert.equal((await textsFor("hary potter goblit"))[0], "Harry Potter and the Goblet of Fire");
    // Short words are as typed.
    assert.equal(await textsFor("hra"), []);
  });

  test(`never suggests some words, nor hidden documents (${cluster.version})`, async () => {
    for (const text of ["damn", "damn sal", "a da", "good boo", "rogues", "salty"]) {
      const found = await textsFor(text);
      assert.not.ok(
        found.some((one) => /damn|rogues/i.test(one)),
        `${text}: ${found}`,
      );
    }
    // Since the last run: the word was not yet on the list then.
    await build(SEARCHES, { ...SUGGEST, never: [] });
    assert.not.ok((await textsFor("salt")).includes("damn salt"));
    await build();
  });

  test(`answers only keys that may read the index, by the name of its entry (${cluster.version})`, async () => {
    assert.equal(await textsFor("harry", { size: 1 }, KEYS.page), ["harry potter"]);
    for (const [key, name] of [
      [KEYS.other, index],
      [KEYS.search, index],
      [KEYS.page, unbuilt],
      [API_KEY, suggestionsAlias(index)],
    ] as const) {
      const { status, body } = await ask("harry", { index: name }, key);
      assert.equal([status, body.error?.code], [403, "forbidden"], name);
    }
    for (const name of [alone, filtered]) {
      const { status, body } = await ask("harry", { index: name }, KEYS.other);
      assert.equal([status, body.error.issues[0]?.path], [400, "index"]);
    }
    for (const path of [suggestionsAlias(index), `${suggestionsAlias(index)}*`]) {
      const { status } = await gateway.send("GET", `/raw-backend/${path}/_search`, {
        headers: { "x-api-key": KEYS.search },
      });
      assert.is(status, 403, path);
    }
  });

  test(`are built by the function from the stored log, of enough users and with hits only (${cluster.version})`, async () => {
    const timestamp = new Date();
    const line = (user: number, userQuery: string, change = {}) =>
      storedSearch({ index, userQuery, userId: `user-${user}`, timestamp, ...change });
    const lines = [
      ...[1, 2].map((user) => line(user, "Salt Marsh")),
      ...[1, 1, 1].map((user) => line(user, "salt of one user")),
      ...[1, 2, 3].map((user) => line(user, "salt without hits", { total: 0, hitIds: [] })),
      ...[1, 2].map((user) => line(user, "damn salt")),
    ];
    const key = `logs/search/day=${timestamp.toISOString().slice(0, 10)}/${index}`;
    const object = { Bucket: names.bucket(), Key: key };
    await s3.send(new PutObjectCommand({ ...object, Body: gzipSync(lines.join("")) }));
    const absent = { index: uniqueIndex("suggest-absent"), suggest: { titles: { field: "title" }, never: [] } };
    const own = await suggestionsFunction(cloud, cluster.url, [{ index, suggest: SUGGEST }]);
    try {
      const { built } = await own.run();
      assert.equal(built, [{ index, searches: 1, titles: 5, days: 30 }]);
    } finally {
      await own.stop();
    }
    assert.equal(await textsFor("salt"), ["salt marsh", "The Salt Road"]);
    const failing = await suggestionsFunction(cloud, cluster.url, [absent, { index, suggest: SUGGEST }]);
    try {
      const failure = await failing.run().catch((error: Error) => error);
      assert.match(String(failure), /1 of 2 indexes have no new suggestions.*no such index/);
    } finally {
      await failing.stop();
    }
    await s3.send(new DeleteObjectCommand(object));
    await build();
  });

  test(`is in no search with a wildcard (${cluster.version})`, async () => {
    const { body } = await gateway.post("/application/search", {
      index: "*suggest*",
      search_request: { size: 0, query: { match: { text: "harry" } } },
    });
    assert.is(body.search_response.hits.total.value, 0);
  });

  for (const kind of ["search", "hybrid-search"] as const) {
    test(`${kind}: tells another text where a search finds nothing, or searches for it (${cluster.version})`, async () => {
      const { searched, find } = searching(kind);
      const idsIn = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);
      const quiet = (await find("hary poter")).body;
      assert.equal([idsIn(quiet), quiet.did_you_mean, "no_hits" in quiet], [[], undefined, false]);

      const told = (await find("hary poter", { no_hits: "tell" })).body;
      assert.equal([idsIn(told), told.did_you_mean], [[], { text: "harry potter", left_out: [], is_searched: false }]);
      const corrected = (await find("hary poter", { no_hits: "search" })).body;
      assert.equal(corrected.did_you_mean, { text: "harry potter", left_out: [], is_searched: true });
      const typed = corrected.user_query ?? corrected.search_query;
      assert.equal([idsIn(corrected), typed, corrected.no_hits], [["3"], "hary poter", "search"]);
      assert.is(corrected.degraded, undefined);
      // Nobody found anything by the text that was typed.
      const { total, query_response_hit_ids: ids } = JSON.parse(gateway.log.at(-1) ?? "");
      assert.equal([total, ids], [0, ["3"]]);
      const named = { template: kind, search_request: undefined, search_request_template: undefined };
      assert.equal(idsIn((await find("hary poter", { ...named, no_hits: "search" })).body), ["3"]);

      const relaxed = (await find("the salt road zzzzzz", { no_hits: "search" })).body;
      assert.equal(relaxed.did_you_mean, { text: "the salt road", left_out: ["zzzzzz"], is_searched: true });
      assert.equal(idsIn(relaxed).toSorted(), ["1", "2"]);

      // Half of the words are another search.
      assert.is((await find("road zzzzzz", { no_hits: "tell" })).body.did_you_mean, undefined);

      // With hits nothing changes, nor if the other text has none.
      const found = (await find("potter", { no_hits: "search" })).body;
      assert.equal([idsIn(found), found.did_you_mean], [["3"], undefined]);
      const lake = (await find("salt lakee", { no_hits: "search" })).body;
      assert.equal([idsIn(lake), lake.did_you_mean], [[], { text: "salt lake", left_out: [], is_searched: false }]);
      assert.is((await find("xyzxyz", { no_hits: "search" })).body.did_you_mean, undefined);
      // A key without the endpoint learns nothing of suggestions.
      const refused = (await find("hary poter", { no_hits: "search" }, KEYS.search)).body;
      assert.equal([idsIn(refused), refused.did_you_mean, refused.degraded], [[], undefined, undefined]);
      // Where there are no suggestions, the search stays as it is.
      const none = await searched("hary poter", { index: filtered, no_hits: "search" });
      assert.equal([none.status, none.body.did_you_mean], [200, undefined]);
    });
  }

  test(`says that there are none yet (${cluster.version})`, async () => {
    const { status, headers, body } = await ask("harry", { index: unbuilt });
    assert.equal([status, body.suggestions, headers.get("x-degraded")], [200, [], "suggestions"]);
    assert.is(body.degraded[0]?.stage, "suggestions");
  });

  test(`refuses what is no request (${cluster.version})`, async () => {
    for (const fields of [
      { text: "x".repeat(201) },
      { text: null },
      { size: 21 },
      { size: 0 },
      { user_id: "u" },
      { index: "" },
    ]) {
      assert.is((await ask("x", fields)).status, 400, JSON.stringify(fields));
    }
    for (const text of ["*", "?", '"', "a:b OR c", "\u0000", "😀".repeat(100), "a ".repeat(100)]) {
      assert.is((await ask(text)).status, 200, JSON.stringify(text));
    }
  });

  test(`offers titles alone when the log tells of no users or texts, and says so (${cluster.version})`, async () => {
    for (const logging of [
      { user_id: "none", query_text: true },
      { user_id: "plain", query_text: false },
    ] as const) {
      const own = await start(logging);
      try {
        const { body } = await ask("harry", {}, API_KEY, own);
        assert.equal(body.sources, ["titles"]);
        assert.equal(
          body.suggestions.map(({ source }) => source),
          ["titles"],
        );
        assert.is(body.left_out[0]?.source, "searches");
      } finally {
        await own.stop();
      }
    }
  });

  test(`switches to new suggestions in one step, and deletes old ones (${cluster.version})`, async () => {
    const before = (await indexes()).length;
    const hourAgo = new Date(Date.now() - 3_600_000);
    await build(SEARCHES, SUGGEST, hourAgo);
    let asked = 0;
    let isDone = false;
    const asking = (async () => {
      while (!isDone) {
        const { status, body } = await ask("harry");
        assert.equal([status, body.degraded], [200, undefined]);
        asked += 1;
      }
    })();
    await build([{ text: "harry newer", weight: 1, source: "searches" }]);
    isDone = true;
    await asking;
    assert.ok(asked > 0);
    assert.equal(await textsFor("harry", { size: 1 }), ["harry newer"]);
    const now = await indexes();
    assert.equal(now.filter(([, aliases]) => aliases > 0).length, 1);
    // The one of an hour ago is still there for searches that have begun; the next run deletes it.
    assert.is(now.length, before + 2);
    await build();
    assert.is((await indexes()).length, before + 2);
  });

  const unshown = /No document of suggest-\S+ shows a title at/;
  for (const [what, titles, reason] of [
    ["a run fails", { field: "title", filter: { nonsense: {} } }, /nonsense/],
    ["no document shows the titles", { ...SUGGEST.titles, field: "unshown" }, unshown],
    ["the field of titles is a form of another", { field: "title.keyword" }, unshown],
    ["the field of titles has no text", { field: "hidden" }, unshown],
  ] as const) {
    test(`keeps the old suggestions if ${what} (${cluster.version})`, async () => {
      const before = await indexes();
      const failure = await build(SEARCHES, { ...SUGGEST, titles }).catch((error: Error) => error);
      assert.match(String(failure), reason);
      assert.equal(await indexes(), before);
    });
  }
}

test.after(stopStarted);
test.run();
