import {
  CreateCampaignCommand,
  CreateDatasetCommand,
  CreateDatasetGroupCommand,
  CreateDatasetImportJobCommand,
  CreateEventTrackerCommand,
  CreateFilterCommand,
  CreateSchemaCommand,
  CreateSolutionCommand,
  type CreateSolutionCommandInput,
  CreateSolutionVersionCommand,
  DescribeDatasetImportJobCommand,
} from "@aws-sdk/client-personalize";
import { type Harness, ROLE } from "./harness.ts";
import { type TasteData, type TasteEvent, tasteData } from "./taste-data.ts";

type Fields = readonly {
  name: string;
  type: string | readonly string[];
  categorical?: boolean | undefined;
  textual?: boolean | undefined;
}[];

export const FIELDS = {
  Interactions: [
    { name: "USER_ID", type: "string" },
    { name: "ITEM_ID", type: "string" },
    { name: "EVENT_TYPE", type: "string" },
    { name: "EVENT_VALUE", type: ["float", "null"] },
    { name: "TIMESTAMP", type: "long" },
    { name: "IMPRESSION", type: ["string", "null"] },
  ],
  Items: [
    { name: "ITEM_ID", type: "string" },
    { name: "CATEGORIES", type: ["null", "string"], categorical: true },
    { name: "PRICE", type: ["null", "float"] },
    { name: "BLURB", type: ["null", "string"], textual: true },
    { name: "IS_ACTIVE", type: ["null", "string"] },
  ],
  Users: [
    { name: "USER_ID", type: "string" },
    { name: "AGE", type: ["null", "int"] },
    { name: "MEMBERSHIP", type: ["null", "string"], categorical: true },
  ],
} as const satisfies Record<string, Fields>;

/** Returns the Avro text of a schema. */
export function avro(name: string, fields: Fields): string {
  return JSON.stringify({
    type: "record",
    name,
    namespace: "com.amazonaws.personalize.schema",
    version: "1.0",
    fields,
  });
}

/** Returns interactions as the CSV that Personalize imports. */
export function interactionsCsv(events: readonly TasteEvent[]): string {
  const rows = events.map((e) => [e.userId, e.itemId, e.eventType, e.eventValue ?? "", e.timestamp, ""].join(","));
  return ["USER_ID,ITEM_ID,EVENT_TYPE,EVENT_VALUE,TIMESTAMP,IMPRESSION", ...rows].join("\n");
}

export interface Shop {
  data: TasteData;
  groupArn: string;
  trackingId: string;
  datasets: { Interactions: string; Items: string; Users: string };
}

/** Creates a dataset group with its three datasets and event tracker, all ACTIVE and empty. */
export async function openShop(
  { personalize, settle }: Harness,
  name = "books",
  fields: Readonly<Record<keyof typeof FIELDS, Fields>> = FIELDS,
): Promise<Shop> {
  const { datasetGroupArn = "" } = await personalize.send(new CreateDatasetGroupCommand({ name }));
  await settle();
  const datasets = { Interactions: "", Items: "", Users: "" };
  for (const type of ["Interactions", "Items", "Users"] as const) {
    const schema = avro(type, fields[type]);
    const { schemaArn } = await personalize.send(new CreateSchemaCommand({ name: `${name}-${type}`, schema }));
    const { datasetArn = "" } = await personalize.send(
      new CreateDatasetCommand({ name: `${name}-${type}`, schemaArn, datasetGroupArn, datasetType: type }),
    );
    datasets[type] = datasetArn;
  }
  const { trackingId = "" } = await personalize.send(new CreateEventTrackerCommand({ name, datasetGroupArn }));
  await settle();
  return { data: tasteData(), groupArn: datasetGroupArn, trackingId, datasets };
}

/** Imports this CSV, waits for the end, and returns the job's description. */
export async function importCsv(
  { personalize, files, settle }: Pick<Harness, "personalize" | "files" | "settle">,
  datasetArn: string,
  csv: string,
  importMode: "FULL" | "INCREMENTAL" = "FULL",
) {
  const jobName = `import-${files.size}`;
  files.set(`data/${jobName}.csv`, csv);
  const dataSource = { dataLocation: `s3://data/${jobName}.csv` };
  const { datasetImportJobArn } = await personalize.send(
    new CreateDatasetImportJobCommand({ jobName, datasetArn, dataSource, roleArn: ROLE, importMode }),
  );
  await settle();
  const { datasetImportJob } = await personalize.send(new DescribeDatasetImportJobCommand({ datasetImportJobArn }));
  return datasetImportJob;
}

/** Imports the generated users, items and interactions. */
export async function stockShop(harness: Harness, shop: Shop): Promise<void> {
  const { users, items, events } = shop.data;
  const userRows = users.map((u) => [u.userId, u.age, u.membership].join(","));
  const itemRows = items.map((i) => [i.itemId, i.categories, i.price, "", "True"].join(","));
  for (const [dataset, csv] of [
    [shop.datasets.Users, ["USER_ID,AGE,MEMBERSHIP", ...userRows].join("\n")],
    [shop.datasets.Items, ["ITEM_ID,CATEGORIES,PRICE,BLURB,IS_ACTIVE", ...itemRows].join("\n")],
    [shop.datasets.Interactions, interactionsCsv(events)],
  ] as const) {
    const job = await importCsv(harness, dataset, csv);
    if (job?.status !== "ACTIVE") throw new Error(`import failed: ${job?.failureReason}`);
  }
}

/** Trains a recipe; the version is ACTIVE or CREATE FAILED afterwards. */
export async function trainVersion(
  { personalize, settle }: Pick<Harness, "personalize" | "settle">,
  { groupArn }: Pick<Shop, "groupArn">,
  recipe: string,
  settings: Partial<CreateSolutionCommandInput> = {},
): Promise<{ solutionArn: string; solutionVersionArn: string }> {
  const { solutionArn = "" } = await personalize.send(
    new CreateSolutionCommand({
      name: recipe,
      datasetGroupArn: groupArn,
      recipeArn: `arn:aws:personalize:::recipe/${recipe}`,
      performAutoTraining: false,
      ...settings,
    }),
  );
  await settle();
  const { solutionVersionArn = "" } = await personalize.send(new CreateSolutionVersionCommand({ solutionArn }));
  await settle();
  return { solutionArn, solutionVersionArn };
}

/** Trains a recipe and creates a campaign for it, which is ACTIVE afterwards. */
export async function openCampaign(
  harness: Harness,
  shop: Shop,
  recipe: string,
  settings: Partial<CreateSolutionCommandInput> = {},
): Promise<string> {
  const { solutionVersionArn } = await trainVersion(harness, shop, recipe, settings);
  const { campaignArn = "" } = await harness.personalize.send(
    new CreateCampaignCommand({ name: settings.name ?? recipe, solutionVersionArn, minProvisionedTPS: 1 }),
  );
  await harness.settle();
  return campaignArn;
}

/** Creates a filter, which is ACTIVE afterwards. */
export async function openFilter(
  { personalize, settle }: Harness,
  { groupArn }: Shop,
  name: string,
  filterExpression: string,
): Promise<string> {
  const { filterArn = "" } = await personalize.send(
    new CreateFilterCommand({ name, datasetGroupArn: groupArn, filterExpression }),
  );
  await settle();
  return filterArn;
}
