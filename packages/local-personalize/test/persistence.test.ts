import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateDatasetImportJobCommand,
  DescribeCampaignCommand,
  DescribeDatasetImportJobCommand,
  ListFiltersCommand,
} from "@aws-sdk/client-personalize";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { importCsv, openCampaign, openFilter, openShop, stockShop } from "./book-shop.ts";
import { type Harness, NOW, ROLE, startPersonalize } from "./harness.ts";
import { countOf, csv, rows, send } from "./interactions.ts";

const test = suite("local Personalize: state on disk");

/** Adds a test with its own directory; whatever it starts there is stopped after it. */
function inDirectory(name: string, run: (dir: string, start: () => Promise<Harness>) => Promise<void>): void {
  test(name, async () => {
    const dir = mkdtempSync(join(tmpdir(), "personalize-"));
    const started: Harness[] = [];
    try {
      await run(dir, async () => {
        const harness = await startPersonalize(dir);
        started.push(harness);
        return harness;
      });
    } finally {
      for (const harness of started) harness.stop();
      rmSync(dir, { recursive: true });
    }
  });
}

inDirectory("keeps resources, data and models over a restart, even if a kill cut off a write", async (dir, start) => {
  const first = await start();
  const shop = await openShop(first);
  await stockShop(first, shop);
  const campaignArn = await openCampaign(first, shop, "aws-user-personalization");
  const filterArn = await openFilter(first, shop, "own", 'INCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("*")');
  const eventList = [{ itemId: "i5", eventType: "click", sentAt: new Date(NOW) }];
  await send(first, shop, { userId: "fresh", eventList });
  const ask = async ({ runtime }: Harness, input: { userId: string; filterArn?: string }) =>
    (await runtime.send(new GetRecommendationsCommand({ campaignArn, ...input }))).itemList;
  const before = await ask(first, { userId: "u3" });
  first.stop();

  const journal = readdirSync(dir).find((name) => name.endsWith(".live.ndjson")) ?? "";
  writeFileSync(join(dir, journal), '{"at":1,"values":{"USER_ID":"fre', { flag: "a" });
  writeFileSync(join(dir, "resources.json.next"), '{"half": ');

  const second = await start();
  const { campaign } = await second.personalize.send(new DescribeCampaignCommand({ campaignArn }));
  assert.is(campaign?.status, "ACTIVE");
  assert.equal(await ask(second, { userId: "u3" }), before);
  assert.equal(
    (await ask(second, { userId: "fresh", filterArn }))?.map(({ itemId }) => itemId),
    ["i5"],
  );
  const more = [{ itemId: "i6", eventType: "click", sentAt: new Date(NOW) }];
  await send(second, shop, { userId: "fresh", eventList: more });
  assert.equal(
    readFileSync(join(dir, journal), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).values.ITEM_ID),
    ["i5", "i6"],
  );
});

inDirectory("finishes an interrupted import after the restart, once", async (_dir, start) => {
  const first = await start();
  const shop = await openShop(first);
  await importCsv(first, shop.datasets.Interactions, csv(...rows(1000)));
  const content = csv(...rows(990, 2000), ...rows(10, 3000, "buy"));
  first.files.set("data/more.csv", content);
  const input = {
    jobName: "more",
    datasetArn: shop.datasets.Interactions,
    dataSource: { dataLocation: "s3://data/more.csv" },
    roleArn: ROLE,
    importMode: "INCREMENTAL",
  } as const;
  const { datasetImportJobArn } = await first.personalize.send(new CreateDatasetImportJobCommand(input));
  await first.standIn.control.advance(200);
  first.stop();

  const second = await start();
  second.files.set("data/more.csv", content);
  // Later than the first stand-in's clock.
  await second.standIn.control.advance(3_600_000);
  const { datasetImportJob } = await second.personalize.send(
    new DescribeDatasetImportJobCommand({ datasetImportJobArn }),
  );
  assert.is(datasetImportJob?.status, "ACTIVE");
  assert.is(await countOf(second, shop, "buy"), 10);
  second.standIn.control.reset();
  assert.equal((await second.personalize.send(new ListFiltersCommand({}))).Filters, []);
});

test.run();
