import {
  CreateDatasetImportJobCommand,
  DescribeDatasetImportJobCommand,
  DescribeSolutionVersionCommand,
} from "@aws-sdk/client-personalize";
import { type PutEventsCommandInput, PutItemsCommand, PutUsersCommand } from "@aws-sdk/client-personalize-events";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { importCsv, openCampaign, openFilter, openShop, type Shop, stockShop, trainVersion } from "./book-shop.ts";
import { errorOf, type Harness, NOW, ROLE, standInTests } from "./harness.ts";
import { countOf, csv, rows, send } from "./interactions.ts";

const test = suite("local Personalize: data");

const onStandIn = standInTests(test);

/** Adds a test with an empty shop. */
function on(name: string, run: (harness: Harness, shop: Shop) => Promise<void>): void {
  onStandIn(name, async (harness) => run(harness, await openShop(harness)));
}

on("replaces earlier imports but keeps events with FULL, and adds with INCREMENTAL", async (harness, shop) => {
  const interactions = shop.datasets.Interactions;
  assert.is((await importCsv(harness, interactions, csv(...rows(900), ...rows(200, 900, "buy"))))?.status, "ACTIVE");
  assert.is(await countOf(harness, shop, "buy"), 200);
  const eventList = [{ itemId: "i1", eventType: "buy", sentAt: new Date(NOW) }];
  await send(harness, shop, { eventList });
  await importCsv(harness, interactions, csv(...rows(950), ...rows(50, 950, "buy")));
  assert.is(await countOf(harness, shop, "buy"), 51);
  await importCsv(harness, interactions, csv(...rows(980, 5000), ...rows(20, 5980, "buy")), "INCREMENTAL");
  assert.is(await countOf(harness, shop, "buy"), 71);
});

on("counts an event that equals an imported one once, and each that differs in anything", async (harness, shop) => {
  const base = {
    itemId: "i1",
    eventType: "buy",
    sentAt: new Date(1_700_000_000_900),
    eventValue: 2.5,
    impression: ["a", "b"],
  };
  const equal = "u,i1,buy,2.5,1700000000,a|b";
  await importCsv(harness, shop.datasets.Interactions, csv(...rows(1000), equal, equal));
  assert.is(await countOf(harness, shop, "buy"), 1);
  await send(harness, shop, { eventList: [base] });
  assert.is(await countOf(harness, shop, "buy"), 1);
  const others = [
    { ...base, sentAt: new Date(1_700_000_001_000) },
    { ...base, eventValue: 3 },
    { ...base, impression: ["a"] },
    { ...base, itemId: "i2" },
  ];
  await send(harness, shop, { eventList: others });
  await send(harness, shop, { eventList: others });
  assert.is(await countOf(harness, shop, "buy"), 5);
});

on(
  "takes eight event types beside EVENT_TYPE and EVENT_VALUE, of imports and events together",
  async (harness, shop) => {
    const types = (count: number) =>
      Array.from({ length: count }, (_, index) => rows(130, index * 130, `t${index}`)).flat();
    const tooMany = await importCsv(harness, shop.datasets.Interactions, csv(...types(9)));
    assert.is(tooMany?.status, "CREATE FAILED");
    assert.match(
      tooMany?.failureReason ?? "",
      "9 distinct event types; with its columns EVENT_TYPE, EVENT_VALUE, at most 8",
    );
    assert.is((await importCsv(harness, shop.datasets.Interactions, csv(...types(8))))?.status, "ACTIVE");
    assert.is(await countOf(harness, shop, "t1"), 130);
    await send(harness, shop, { eventList: [{ itemId: "i1", eventType: "ninth", sentAt: new Date(NOW) }] });
    const { solutionVersionArn } = await trainVersion(harness, shop, "aws-popularity-count", { name: "ninth" });
    const command = new DescribeSolutionVersionCommand({ solutionVersionArn });
    const { solutionVersion } = await harness.personalize.send(command);
    assert.match(solutionVersion?.failureReason ?? "", "9 distinct event types");
  },
);

/** Imports that fail, and the job's failure reason. */
const FAILING: readonly [string, string, RegExp][] = [
  [
    "a missing column",
    "USER_ID,ITEM_ID,TIMESTAMP\nu,i,1",
    /missing the following columns: \[EVENT_TYPE, EVENT_VALUE, IMPRESSION\]/,
  ],
  [
    "a value of the wrong type",
    csv(...rows(500), "u,i,click,much,1700000000,"),
    /do not conform .*row 501, EVENT_VALUE: "much" is not of type float/,
  ],
  ["a required value that is empty", csv("u,,click,,1700000000,"), /row 1, ITEM_ID: is required/],
  ["a row that is too long", csv("u,i,click,,1700000000,,more"), /Invalid Record Length/],
  ["milliseconds", csv("u,i,click,,1700000000000,"), /not in epoch seconds/],
  ["an empty file", "", /Input CSV is empty/],
  ["999 interactions", csv(...rows(999)), /has 999 rows; at least 1000 are required/],
];

on("fails an import, and says why", async (harness, shop) => {
  for (const [what, content, reason] of FAILING) {
    const job = await importCsv(harness, shop.datasets.Interactions, content);
    assert.is(job?.status, "CREATE FAILED", what);
    assert.match(job?.failureReason ?? "", reason);
  }
});

on("imports the CSV files directly in a folder, with quotes and with a byte order mark", async (harness, shop) => {
  const { files, personalize, settle } = harness;
  files.set("data/run/part-1.csv", `\uFEFF${csv(...rows(600))}`);
  files.set("data/run/part-2.csv", csv(...rows(400, 600), '"u,1","i\\"x",buy,,1700000000,'));
  files.set("data/run/deeper/part-3.csv", "not,read");
  files.set("data/run/manifest.json", "{}");
  files.set("data/running.csv", "not,read");
  const run = async (dataLocation: string, jobName: string) => {
    const input = { jobName, datasetArn: shop.datasets.Interactions, dataSource: { dataLocation }, roleArn: ROLE };
    const { datasetImportJobArn } = await personalize.send(new CreateDatasetImportJobCommand(input));
    await settle();
    return (await personalize.send(new DescribeDatasetImportJobCommand({ datasetImportJobArn }))).datasetImportJob;
  };
  assert.is((await run("s3://data/run", "a"))?.failureReason, undefined);
  assert.is(await countOf(harness, shop, "buy"), 1);
  assert.is((await run("s3://data/run/", "b"))?.status, "ACTIVE");
  assert.match((await run("s3://data/nothing", "c"))?.failureReason ?? "", /no CSV file at s3:\/\/data\/nothing/);
  assert.match((await run("s3://elsewhere/x", "d"))?.failureReason ?? "", /Insufficient privileges .*NoSuchBucket/);
});

const EVENT = { eventType: "a", itemId: "i", sentAt: new Date() };
const withProperties = (properties: string) => ({ eventList: [{ ...EVENT, properties }] });
/** Refused calls of PutEvents. */
const EVENTS: readonly [string, Partial<PutEventsCommandInput>, RegExp][] = [
  ["an unknown tracking id", { trackingId: "who", eventList: [EVENT] }, /Invalid trackingId/],
  ["no event", { eventList: [] }, /at 'eventList' .*greater than or equal to 1/],
  ["11 events", { eventList: Array(11).fill(EVENT) }, /at 'eventList' .*less than or equal to 10/],
  [
    "26 impressions",
    { eventList: [{ ...EVENT, impression: Array(26).fill("i") }] },
    /impression' .*less than or equal to 25/,
  ],
  [
    "an unknown property",
    withProperties('{"EVENT_VALUE":1}'),
    /eventList\.0: the schema has no EVENT_VALUE; it has userId/,
  ],
  ["properties that are not JSON", withProperties("{"), /properties is not JSON/],
  ["properties of the wrong type", withProperties('{"eventValue":"x"}'), /eventValue "x" is not of type float/],
];

on("refuses in PutEvents what the API refuses", async (harness, shop) => {
  for (const [what, input, message] of EVENTS) {
    const error = await errorOf(send(harness, shop, input));
    assert.is(`${what}: ${error.name}`, `${what}: InvalidInputException`);
    assert.match(error.message, message);
  }
});

on("assigns a session's earlier events to its user once the user is known", async (harness, shop) => {
  await stockShop(harness, shop);
  const campaignArn = await openCampaign(harness, shop, "aws-user-personalization");
  const filterArn = await openFilter(harness, shop, "own", 'INCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("*")');
  const own = async (userId: string) =>
    (await harness.runtime.send(new GetRecommendationsCommand({ campaignArn, userId, filterArn }))).itemList?.map(
      ({ itemId }) => itemId,
    );
  const eventList = [{ itemId: "i5", eventType: "click", sentAt: new Date(NOW) }];
  await send(harness, shop, { userId: undefined, sessionId: "visit", eventList });
  assert.equal(await own("visit"), ["i5"]);
  const login = [{ itemId: "i6", eventType: "click", sentAt: new Date(NOW) }];
  await send(harness, shop, { userId: "member", sessionId: "visit", eventList: login });
  assert.equal((await own("member"))?.toSorted(), ["i5", "i6"]);
  assert.equal(await own("visit"), []);
});

on("limits PutItems and PutUsers to ten calls a second, and refuses them during an import", async (harness, shop) => {
  const { events, standIn, files, personalize } = harness;
  const item = (itemId = "i1", properties = '{"categories":"War","price":3}') =>
    events.send(new PutItemsCommand({ datasetArn: shop.datasets.Items, items: [{ itemId, properties }] }));
  const user = () =>
    events.send(
      new PutUsersCommand({ datasetArn: shop.datasets.Users, users: [{ userId: "u1", properties: '{"age":3}' }] }),
    );
  for (let call = 0; call < 5; call += 1) await Promise.all([item(), user()]);
  const throttled = await errorOf(user());
  assert.is(throttled.name, "ThrottlingException");
  assert.is(throttled.status, 429);
  await standIn.control.advance(1000);
  assert.is((await errorOf(item())).name, "none");
  assert.match((await errorOf(item("i1", '{"CATEGORIES":"War"}'))).message, /items\.0: the schema has no CATEGORIES/);
  assert.match((await errorOf(item("i1", '{"categories":["War"]}'))).message, /joined by "\|", got a list/);
  const wrongKind = new PutUsersCommand({ datasetArn: shop.datasets.Items, users: [{ userId: "u" }] });
  assert.match((await errorOf(events.send(wrongKind))).message, /is of type ITEMS, not USERS/);
  files.set("data/items.csv", "ITEM_ID,CATEGORIES,PRICE,BLURB,IS_ACTIVE\ni1,War,1,,True");
  const dataSource = { dataLocation: "s3://data/items.csv" };
  await personalize.send(
    new CreateDatasetImportJobCommand({ jobName: "j", datasetArn: shop.datasets.Items, dataSource, roleArn: ROLE }),
  );
  const busy = await errorOf(item());
  assert.is(busy.name, "ResourceInUseException");
  assert.is(busy.status, 409);
  assert.is((await errorOf(user())).name, "none");
  await harness.settle();
  assert.is((await errorOf(item())).name, "none");
});

on("changes recommendations by later imports only after a new training", async (harness, shop) => {
  await stockShop(harness, shop);
  const campaignArn = await openCampaign(harness, shop, "aws-user-personalization");
  const answer = async () =>
    (await harness.runtime.send(new GetRecommendationsCommand({ campaignArn, userId: "u1" }))).itemList;
  const before = await answer();
  await importCsv(harness, shop.datasets.Interactions, csv(...rows(3000)));
  assert.equal(await answer(), before);
});

test.run();
