import { DeleteFilterCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { waitFor } from "../../packages/processes/wait.ts";
import { send } from "../fixtures/access-attempt.ts";
import { loadRecommendationWithKeys } from "../fixtures/mcp-placement-attempts.ts";
import { bearer, TOKENS } from "../fixtures/tokens.ts";
import { type OpenShop, openFilter, openTrainedShop } from "../functions/recommendation-api/shop.ts";
import { type Answer, startWorld, type World } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("filters of recommendations");

const world: World = await startWorld();
let shop: OpenShop;

const COMMON = { limit: 10, filter_name: "", filter_value_dict: {} };
const toUser = (body: object = {}) => world.post("/recommend-items-to-user", { user_id: "u1", ...COMMON, ...body });
const toItem = (body: object = {}) => world.post("/recommend-items-to-item", { item_id: "i1", ...COMMON, ...body });

const idsOf = ({ body }: Answer) => body.response.items.map(({ ITEM_ID }) => ITEM_ID ?? "");
const categoriesOf = ({ body }: Answer) => body.response.items.map(({ CATEGORIES = "" }) => CATEGORIES.split("|"));

test.before(async () => {
  shop = await openTrainedShop(world);
});
test.after(() => world.stop());

test("filters by one value, by several, and by values with a comma", async () => {
  const one = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: "Horror" } });
  assert.is(one.status, 200, one.text);
  assert.ok(categoriesOf(one).length > 0 && categoriesOf(one).every((categories) => categories.includes("Horror")));
  const several = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: 'Horror, "War"' } });
  assert.ok(categoriesOf(several).every((categories) => categories.includes("Horror") || categories.includes("War")));
  const none = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: '"Horror,War"' } });
  assert.equal([none.status, idsOf(none)], [200, []]);
  const cheap = await toItem({ filter_name: "cheap", filter_value_dict: { MAX: "5" } });
  assert.ok(cheap.body.response.items.every(({ PRICE }) => Number(PRICE) <= 5));
});

test("a token's filter bounds recommendations; with one of searches alone, a token has none", async () => {
  const tokens = { ...TOKENS, required: true };
  const handler = await loadRecommendationWithKeys(world, [{ name: "app", endpoints: ["recommend"], tokens }]);
  const path = "/recommend-items-to-user";
  const body = JSON.stringify({ user_id: "u1", ...COMMON });
  const call = (headers: Record<string, string>) => send(handler, { key: "app", method: "POST", path, headers, body });
  const recommend = { filter_name: "category", filter_value_dict: { CATEGORY: "Horror" } };
  const filter = { tenant: "a" };
  const { status, text } = await call(await bearer({ filter, recommend, user_id: "u1" }));
  assert.is(status, 200, text);
  const all = categoriesOf({ body: JSON.parse(text) } as Answer);
  assert.ok(all.length > 0 && all.every((categories) => categories.includes("Horror")), text);
  assert.is((await call(await bearer({ filter, user_id: "u1" }))).status, 403);
  assert.is((await call({})).status, 401);
});

test("for items similar to an item, a filter on past events applies to the user that the request names", async () => {
  const [all, unseen] = [
    await toItem({ limit: 500 }),
    await toItem({ limit: 500, filter_name: "unseen", user_id: "u1" }),
  ];
  assert.is(unseen.status, 200, unseen.text);
  assert.ok(idsOf(unseen).length > 0 && idsOf(unseen).length < idsOf(all).length);
});

test("unknown filters are 404, and so are filters that are not synchronized yet", async () => {
  const unknown = await toUser({ filter_name: "colour" });
  assert.equal([unknown.status, unknown.body.error.code], [404, "filter_not_found"]);
  assert.match(unknown.body.error.message, "category, cheap");
  await world.removeParameter(world.names.filterParameter("member"));
  await world.restart();
  const absent = await toUser({ filter_name: "member" });
  assert.equal([absent.status, absent.body.error.code], [404, "filter_not_found"]);
  await world.putParameter(
    world.names.filterParameter("member"),
    world.names.arn("personalize", `filter/${world.settings.filters.find(({ name }) => name === "member")?.resource}`),
  );
  await world.restart();
});

test("finds a rotated filter again at once, while requests continue", async () => {
  const category = { filter_name: "category", filter_value_dict: { CATEGORY: "Horror" } };
  const before = await toUser(category);
  assert.is(before.status, 200);
  const answers: Promise<Answer>[] = [];
  const timer = setInterval(() => answers.push(toUser(category)), 20);
  const expression = "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY) AND Items.PRICE <= 1000";
  await openFilter(world, shop, "category", expression);
  const old = world.names.arn("personalize", `filter/${world.settings.filters[0]?.resource}`);
  await world.harness.personalize.send(new DeleteFilterCommand({ filterArn: old }));
  await toUser(category);
  await world.harness.settle();
  const after = await toUser(category);
  await waitFor(async () => answers.length >= 50, { what: "50 requests at 50 a second", timeoutMs: 60_000 });
  clearInterval(timer);
  assert.is(after.status, 200, after.text);
  assert.equal(idsOf(after), idsOf(before));
  const all = await Promise.all(answers);
  // On a busy machine the store may answer too late for item records; that has nothing to do with filters.
  const stages = all.flatMap(({ body }) => (body.degraded ?? []).map(({ stage }: { stage: string }) => stage));
  assert.equal([...new Set(all.map(({ status }) => status))], [200]);
  assert.equal(
    stages.filter((stage: string) => stage !== "item_records"),
    [],
  );
});

test("Personalize checks the values of the new filter while the function still has the old expression", async () => {
  await openFilter(world, shop, "category", "INCLUDE ItemID WHERE Items.CATEGORIES IN ($GENRE)");
  await world.restart();
  const fits = await toUser({ filter_name: "category", filter_value_dict: { GENRE: "Horror" } });
  assert.is(fits.status, 200, fits.text);
  const wrong = await toUser({ filter_name: "category", filter_value_dict: { CATEGORY: "Horror" } });
  assert.equal([wrong.status, wrong.body.error.code], [400, "invalid_request"]);
  assert.match(wrong.body.error.message, "Personalize refused the request");
  assert.not.match(wrong.text, /arn:/);
  await openFilter(world, shop, "category");
  await world.restart();
});

test.run();
