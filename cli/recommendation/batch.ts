import { createHash } from "node:crypto";
import { appendFileSync, createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { CreateBatchInferenceJobRequest } from "@aws-sdk/client-personalize";
import { MAX_RESULTS } from "../../lib/personalize/limits.ts";
import { describeCampaign } from "../../lib/personalize/resources/campaign.ts";
import { describeVersion, type Personalize, tagList } from "../../lib/personalize/resources/personalize.ts";
import { listed, type ObjectStore } from "../../lib/platform/aws/object-store.ts";
import { Failure } from "../../lib/platform/failure.ts";
import { type Names, shortHash } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { type Made, makeLists, shelve, USERS } from "../../lib/recommendation/batch/lists.ts";
import { keyOf, type Question } from "../../lib/recommendation/batch/questions.ts";
import { Shelves } from "../../lib/recommendation/batch/shelves.ts";
import type { PlacementServices } from "../../lib/recommendation/placements/visit.ts";
import { readRows } from "../../lib/recommendation/schema/rows.ts";
import { RECIPE_WITHOUT_BATCH } from "../../lib/settings/recipes.ts";
import { type Patience, runBatchJob } from "./batch-jobs.ts";

/** Bytes of the file of users for one shelf: some thousand users, each with up to 500 ids for each question. */
const SHELF_BYTES = 32_000;
const RESULT = "lists.jsonl";
const INPUT = "users.json";
const KIND = "user_personalization";

export interface Batch {
  services: Omit<PlacementServices, "campaigns">;
  placement: string;
  /** Version of the placements. */
  version: number;
  questions: readonly Question[];
  /** A local file with a column USER_ID. */
  users: string;
  names: Names;
  personalize: Personalize;
  objects: ObjectStore;
  tags: Readonly<Record<string, string>>;
  patience: Patience;
}

/**
 * Makes the lists of a placement for the users of a file, and writes them into the project's bucket. A repeated call joins the
 * jobs of one that was interrupted. Throws Failure.
 */
export async function runBatch(batch: Batch): Promise<Made & { location: string }> {
  const { names, objects, questions, patience } = batch;
  const folder = mkdtempSync(join(tmpdir(), "relevance-batch-"));
  try {
    const file = statSync(batch.users, { throwIfNoEntry: false });
    if (!file?.isFile()) throw new Failure(`--users: ${batch.users} is not a file`);
    const shelves = new Shelves(folder, Math.ceil((file.size + 1) / SHELF_BYTES));
    const digest = await shelveUsers(batch.users, shelves);
    const served = questions.length > 0 ? await servedVersion(batch) : undefined;
    const key = await runOf(batch, [digest, batch.placement, batch.version, questions, served?.solutionVersionArn]);
    const location = (name: string) => `s3://${names.bucket()}/${key}${name}`;
    const ended = await Promise.allSettled(
      questions.map(async (question, number) => {
        if (!served) return;
        const { filterArn, filterValues } = question;
        const part = `${number + 1}/`;
        const file = join(folder, `input-${number}`);
        for (const ids of shelves.read(USERS)) {
          const lines = [...new Set(ids)].map((userId) => `${JSON.stringify({ userId, filterValues })}\n`);
          appendFileSync(file, lines.join(""));
        }
        await objects.write(`${key}${part}${INPUT}`, { file });
        const job: CreateBatchInferenceJobRequest & { jobName: string } = {
          ...served,
          ...(filterArn !== undefined && { filterArn }),
          jobName: `${names.datasetGroup()}-${key.replaceAll("/", "-")}${number + 1}`,
          numResults: MAX_RESULTS,
          jobInput: { s3DataSource: { path: location(`${part}${INPUT}`) } },
          jobOutput: { s3DataDestination: { path: location(`${part}output/`) } },
          roleArn: names.roleArn(names.role("personalize")),
          tags: tagList(batch.tags),
        };
        const output = `${key}${part}output/${INPUT}.out`;
        const hasOutput = async () => (await listed(objects, output)).length > 0;
        await runBatchJob(batch.personalize, names, job, patience, hasOutput);
        await shelveOutput(objects, output, shelves, number);
      }),
    );
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    shelves.flush();
    const result = join(folder, RESULT);
    const { services, placement } = batch;
    const write = (line: string) => appendFileSync(result, `${line}\n`);
    patience.note("Making the lists");
    const made = await makeLists({ services, placement, shelves, questions: questions.map(keyOf), write });
    await objects.write(`${key}${RESULT}`, { file: result });
    return { ...made, location: location(RESULT) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts the users of a file on shelves. Returns a digest of the file. Throws Failure without users, or without their column. */
async function shelveUsers(file: string, shelves: Shelves): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  let count = 0;
  const { rows } = await readRows("user", file);
  for await (const row of rows) {
    const id = row.written?.get("USER_ID") ?? row.values.get("USER_ID");
    if (id === undefined) throw new Failure(`${file}:${row.line} has no USER_ID: write a file with a column USER_ID`);
    shelves.add(USERS, String(id), String(id));
    count += 1;
  }
  if (count === 0) throw new Failure(`${file} has no users`);
  shelves.flush();
  return hash.digest("hex");
}

/** Returns the version and the exploration of the campaign, which a job shall have, too. Throws Failure. */
async function servedVersion({ personalize, names }: Batch) {
  const campaign = await describeCampaign(personalize, names.campaignArn(KIND));
  const { solutionVersionArn } = campaign ?? {};
  if (solutionVersionArn === undefined) {
    throw new Failure(`There is no campaign of ${KIND}: run \`relevance train\` first`);
  }
  const version = await describeVersion(personalize, solutionVersionArn);
  if (version?.recipeArn?.endsWith(`/${RECIPE_WITHOUT_BATCH}`)) {
    throw new Failure(`${KIND} is trained with ${RECIPE_WITHOUT_BATCH}, which has no batch inference`);
  }
  const { itemExplorationConfig } = campaign?.campaignConfig ?? {};
  return { solutionVersionArn, ...(itemExplorationConfig && { batchInferenceJobConfig: { itemExplorationConfig } }) };
}

/** Returns the folder of the run: that of an interrupted run with the same input, else a new one. */
async function runOf({ objects }: Batch, input: readonly unknown[]): Promise<string> {
  const start = `${PREFIXES.batch}${shortHash(JSON.stringify(input), 12)}-`;
  const finished = (await listed(objects, start)).filter(({ key }) => key.endsWith(`/${RESULT}`));
  // Old ones expire, and the names of their jobs stay taken.
  const numbers = finished.map(({ key }) => Number(key.slice(start.length, -`/${RESULT}`.length)));
  return `${start}${Math.max(0, ...numbers) + 1}/`;
}

async function shelveOutput(objects: ObjectStore, key: string, shelves: Shelves, question: number): Promise<void> {
  const body = await objects.read(key);
  if (!body) throw new Failure(`Personalize has written no ${key}`);
  for await (const line of createInterface({ input: Readable.from(body), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== "") shelve(shelves, question, line);
  }
}
