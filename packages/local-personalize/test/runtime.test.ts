import {
  CreateDataDeletionJobCommand,
  DescribeCampaignCommand,
  UpdateCampaignCommand,
} from "@aws-sdk/client-personalize";
import { PutEventsCommand, PutItemsCommand } from "@aws-sdk/client-personalize-events";
import { GetPersonalizedRankingCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { trainVersion } from "./book-shop.ts";
import { errorOf, NOW, ROLE } from "./harness.ts";
import { openRuntime } from "./open-runtime.ts";

const test = suite("local Personalize: runtime");

const { harness, shop, campaigns, filters, recommend } = await openRuntime();
test.after(() => harness.stop());
const rank = (campaignArn: string, inputList: string[], userId = "u1") =>
  harness.runtime.send(new GetPersonalizedRankingCommand({ campaignArn, userId, inputList }));

const ids = async (...args: Parameters<typeof recommend>) =>
  (await recommend(...args)).itemList?.map((i) => i.itemId) ?? [];
const categoriesOf = (id = "") => shop.data.items.find(({ itemId }) => itemId === id)?.categories.split("|") ?? [];
const priceOf = (id = "") => shop.data.items.find(({ itemId }) => itemId === id)?.price ?? 0;

test("returns 25 items by default and as many as requested, each once, with falling scores", async () => {
  const { itemList = [], recommendationId = "" } = await recommend({ userId: "u1" });
  assert.is(itemList.length, 25);
  assert.is(new Set(itemList.map(({ itemId }) => itemId)).size, 25);
  const scores = itemList.map(({ score }) => score ?? 0);
  assert.equal(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.ok(scores[0] && scores[0] > 0 && scores[0] < 1);
  assert.match(recommendationId, /^RID-[\da-f]{32}$/);
  assert.is((await ids({ userId: "u1", numResults: 7 })).length, 7);
  assert.is((await ids({ userId: "u1", numResults: 500 })).length, shop.data.items.length);
});

test("returns different items for different users, and popular ones for a new user", async () => {
  assert.not.equal(await ids({ userId: "u1" }), await ids({ userId: "u2" }));
  const counts = new Map<string, number>();
  for (const { itemId } of shop.data.events) counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
  const fifth = [...counts.values()].sort((a, b) => b - a)[4] ?? 0;
  for (const id of await ids({ userId: "nobody", numResults: 5 })) assert.ok((counts.get(id ?? "") ?? 0) >= fifth);
});

test("changes a user's items at once after an event, even a new user's", async () => {
  const comedies = shop.data.items.filter(({ categories }) => categories === "Comedy").slice(0, 8);
  const share = async (userId: string) =>
    (await ids({ userId, numResults: 10 })).filter((id) => categoriesOf(id).includes("Comedy")).length;
  const before = await share("fresh");
  const eventList = comedies.map(({ itemId }, index) => ({
    itemId,
    eventType: "click",
    sentAt: new Date(NOW + index * 1000),
  }));
  await harness.events.send(
    new PutEventsCommand({ trackingId: shop.trackingId, userId: "fresh", sessionId: "s-fresh", eventList }),
  );
  assert.ok((await share("fresh")) >= before + 4, `${before} comedies before, ${await share("fresh")} after`);
});

test("ranks all given items, 500 at most, unknown ones last and without a score", async () => {
  const known = shop.data.items.map(({ itemId }) => itemId);
  // 500 are the most.
  const unknown = Array.from({ length: 500 - known.length }, (_, at) => `unknown-${String(at).padStart(3, "0")}`);
  const inputList = [...unknown, ...known];
  const { personalizedRanking = [] } = await rank(campaigns.ranking, inputList);
  const order = personalizedRanking.map(({ itemId }) => itemId);
  assert.equal(order.toSorted(), inputList.toSorted());
  assert.equal(order.slice(known.length), unknown);
  assert.ok(personalizedRanking.slice(known.length).every(({ score }) => score === undefined));
  const sum = personalizedRanking.reduce((total, { score = 0 }) => total + score, 0);
  assert.ok(Math.abs(sum - 1) < 1e-6);
  assert.not.equal(order.slice(0, known.length), known);
});

test("ranks items in the same order as the user's recommendations", async () => {
  const recommended = await ids({ userId: "u5", numResults: 60 });
  const [best = "", worst = ""] = [recommended[0], recommended.at(-1)];
  const { personalizedRanking } = await rank(campaigns.ranking, [worst, best], "u5");
  assert.equal(
    personalizedRanking?.map(({ itemId }) => itemId),
    [best, worst],
  );
});

test("returns related items of similar genres, without scores and without the item itself", async () => {
  const { itemList = [] } = await recommend({ itemId: "i3", numResults: 10 }, campaigns.related);
  assert.is(itemList.length, 10);
  assert.not.ok(itemList.some(({ itemId }) => itemId === "i3"));
  assert.ok(itemList.every(({ score }) => score === undefined));
  const shares = (wanted: string, list: readonly (string | undefined)[]) =>
    list.filter((id) => categoriesOf(id).some((c) => categoriesOf(wanted).includes(c))).length / list.length;
  let related = 0;
  let any = 0;
  for (let item = 0; item < 30; item += 1) {
    related += shares(`i${item}`, await ids({ itemId: `i${item}`, numResults: 10 }, campaigns.related));
    any += shares(
      `i${item}`,
      shop.data.items.map(({ itemId }) => itemId),
    );
  }
  assert.equal(await ids({ itemId: "unheard" }, campaigns.related), await ids({ itemId: "unseen" }, campaigns.related));
  assert.ok(related > 1.3 * any, `related items share ${related} genres, any items ${any}`);
});

test("returns only what a filter with values includes, and still as many items as requested", async () => {
  const list = await ids({ userId: "u1", filterArn: filters.category, filterValues: { CATEGORY: '"War","Western"' } });
  assert.is(list.length, 25);
  assert.ok(list.every((id) => categoriesOf(id).some((category) => ["War", "Western"].includes(category))));
});

test("applies filters to the user's imported events and to the newest one", async () => {
  const own = new Set(shop.data.events.filter(({ userId }) => userId === "u7").map(({ itemId }) => itemId));
  const request = { userId: "u7", numResults: 500, filterArn: filters.unseen, filterValues: { EVENT: '"*"' } };
  const unseen = await ids(request);
  assert.not.ok(unseen.some((id) => own.has(id ?? "")));
  assert.is(unseen.length, shop.data.items.length - own.size);
  const eventList = [{ itemId: unseen[0], eventType: "click", sentAt: new Date(NOW) }];
  await harness.events.send(
    new PutEventsCommand({ trackingId: shop.trackingId, userId: "u7", sessionId: "s7", eventList }),
  );
  assert.equal((await ids(request)).toSorted(), unseen.slice(1).toSorted());
});

test("resolves CurrentItem and CurrentUser to the rows of the requested item and user", async () => {
  const cheaper = await ids({ itemId: "i3", filterArn: filters.cheaper }, campaigns.related);
  assert.ok(cheaper.length > 0 && cheaper.every((id) => priceOf(id) < priceOf("i3")));
  const young = { filterArn: filters.cheapOrOwn, filterValues: { MAX: "30" } };
  assert.ok((await ids({ userId: "u1", ...young })).every((id) => priceOf(id) <= 30));
  assert.ok((await ids({ userId: "nobody", ...young })).some((id) => priceOf(id) > 30));
});

test("filters an item by its new record right after PutItems", async () => {
  const request = {
    userId: "u1",
    numResults: 500,
    filterArn: filters.category,
    filterValues: { CATEGORY: '"Puppetry"' },
  };
  assert.equal(await ids(request), []);
  const items = [{ itemId: "i9", properties: JSON.stringify({ categories: "Drama|Puppetry", price: 5 }) }];
  await harness.events.send(new PutItemsCommand({ datasetArn: shop.datasets.Items, items }));
  assert.equal(await ids(request), ["i9"]);
});

const ABSENT = "ResourceNotFoundException";
const user = { userId: "u1" };
const many = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`);

/** Refused requests, with the expected error. */
const REFUSED: readonly [what: string, call: () => Promise<unknown>, message: RegExp, name?: string][] = [
  ["no user", () => recommend({}), /userId is required/],
  ["no item", () => recommend(user, campaigns.related), /itemId is required/],
  ["a ranking campaign", () => recommend(user, campaigns.ranking), /use GetPersonalizedRanking/],
  ["an unknown campaign", () => recommend(user, `${campaigns.user}x`), /Campaign with ARN .* does not exist/, ABSENT],
  ["501 results", () => recommend({ ...user, numResults: 501 }), /at most 500, got 501/],
  ["an unknown filter", () => recommend({ ...user, filterArn: `${filters.category}x` }), /Filter with ARN/, ABSENT],
  ["no value for an INCLUDE", () => recommend({ ...user, filterArn: filters.category }), /missing: \$CATEGORY/],
  [
    "an unquoted value",
    () => recommend({ ...user, filterArn: filters.category, filterValues: { CATEGORY: "War" } }),
    /CATEGORY are texts in double quotes/,
  ],
  ["a CurrentItem filter for a user", () => recommend({ ...user, filterArn: filters.cheaper }), /related items only/],
  ["values without a filter", () => recommend({ ...user, filterValues: { A: '"b"' } }), /needs a filterArn/],
  ["a promotion", () => recommend({ ...user, promotions: [{ name: "p" }] }), /no promotions/],
  [
    "metadata that the campaign does not give",
    () => recommend({ ...user, metadataColumns: { ITEMS: ["PRICE"] } }),
    /enableMetadataWithRecommendations/,
  ],
  [
    "26 filter values",
    () => recommend({ ...user, filterValues: Object.fromEntries(many(26).map((name) => [name, '"v"'])) }),
    /length less than or equal to 25/,
  ],
  ["501 items to rank", () => rank(campaigns.ranking, many(501)), /at most 500, got 501/],
  ["a ranking by another recipe", () => rank(campaigns.user, ["i1"]), /needs a ranking recipe/],
];

for (const [what, call, message, name = "InvalidInputException"] of REFUSED) {
  test(`refuses ${what}`, async () => {
    const error = await errorOf(call());
    assert.equal([error.name, error.status], [name, name === ABSENT ? 404 : 400]);
    assert.match(error.message, message);
  });
}

test("forgets a user in its models, too, when a deletion job ends", async () => {
  const unknown = await ids({ userId: "nobody" });
  assert.not.equal(await ids({ userId: "u5" }), unknown);
  harness.files.set("data/deletion.csv", "USER_ID\nu5\n");
  await harness.personalize.send(
    new CreateDataDeletionJobCommand({
      ...{ jobName: "forget", datasetGroupArn: shop.groupArn, roleArn: ROLE },
      dataSource: { dataLocation: "s3://data/deletion.csv" },
    }),
  );
  await harness.settle();
  assert.equal(await ids({ userId: "u5" }), unknown);
});

test("serves the old version until an update is done, then the new one, with item metadata", async () => {
  const { solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count");
  const config = { enableMetadataWithRecommendations: true };
  const before = await ids({ userId: "u1" });
  await harness.personalize.send(
    new UpdateCampaignCommand({
      campaignArn: campaigns.user,
      solutionVersionArn,
      minProvisionedTPS: 3,
      campaignConfig: config,
    }),
  );
  const describe = async () =>
    (await harness.personalize.send(new DescribeCampaignCommand({ campaignArn: campaigns.user }))).campaign;
  assert.is((await describe())?.status, "ACTIVE");
  assert.is((await describe())?.minProvisionedTPS, 1);
  assert.is((await describe())?.latestCampaignUpdate?.status, "CREATE PENDING");
  assert.equal(await ids({ userId: "u1" }), before);
  const again = new UpdateCampaignCommand({ campaignArn: campaigns.user, minProvisionedTPS: 4 });
  assert.is((await errorOf(harness.personalize.send(again))).name, "ResourceInUseException");
  await harness.settle();
  assert.is((await describe())?.latestCampaignUpdate?.status, "ACTIVE");
  assert.is((await describe())?.minProvisionedTPS, 3);
  assert.equal(await ids({ userId: "u1" }), await ids({ userId: "u2" }));
  const { itemList } = await recommend({ userId: "u1", metadataColumns: { ITEMS: ["CATEGORIES", "PRICE"] } });
  const [first] = itemList ?? [];
  assert.equal(first?.metadata?.PRICE, String(priceOf(first?.itemId)));
  assert.match(
    (await errorOf(recommend({ userId: "u1", numResults: 51, metadataColumns: { ITEMS: [] } }))).message,
    /at most 50 with metadata/,
  );
});

test.run();
