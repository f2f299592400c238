import { DeleteFilterCommand } from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { differenceOf } from "../../../../lib/personalize/resources/differences.ts";
import { filterQuotaProblem } from "../../../../lib/personalize/resources/filter-quota.ts";
import { readInventory } from "../../../../lib/personalize/resources/inventory.ts";
import { ResourceInput, type ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import { suite } from "../../../suite.ts";
import { basicInputs, filterInput } from "./inputs.ts";
import { managed } from "./managed.ts";

const test = suite("differences in Personalize");

const shop = await managed();
const filter = filterInput(shop.names, "unread", 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("read")');
const campaign = {
  kind: "campaign",
  name: "shop-similar-items",
  recipe: "similar_items",
  min_provisioned_tps: 1,
} as const;
const all: ResourceInputGiven[] = [...basicInputs(shop.names), filter, campaign];

test.after(() => shop.stop());

const differences = async () => {
  const inventory = await readInventory(shop.personalize, shop.names);
  return all.map((input) => differenceOf(v.parse(ResourceInput, input), inventory));
};

test("before anything is created, every resource differs except the campaign, which awaits its training", async () => {
  assert.equal(
    (await differences()).map((difference) => difference !== undefined),
    all.map(({ kind }) => kind !== "campaign"),
  );
});

test("after creation nothing differs", async () => {
  for (const input of all) await shop.apply("create", input);
  assert.equal(
    await differences(),
    all.map(() => undefined),
  );
});

test("a filter that was deleted by hand differs", async () => {
  const filterArn = shop.names.arn("personalize", `filter/${filter.name}`);
  await shop.personalize.send(new DeleteFilterCommand({ filterArn }));
  await shop.settle();
  assert.equal((await differences()).filter(Boolean), ["it does not exist"]);
});

test("replacing a filter fits into the quota at 29 filters, and is refused with what to do at 30", () => {
  const present = Array.from({ length: 29 }, (_, index) => `shop-f${index}-0000000001`);
  const wanted = [...present.slice(1), "shop-f0-0000000002"];
  assert.is(filterQuotaProblem(present, wanted), undefined);
  const full = [...present, "shop-f29-0000000001"];
  assert.match(
    filterQuotaProblem(full, [...full.slice(1), "shop-f0-0000000002"]) ?? "",
    /no room for shop-f0-0000000002.*30 filters.*take a filter out/,
  );
});

test.run();
