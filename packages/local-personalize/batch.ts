import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import * as v from "valibot";
import type { Account } from "./account.ts";
import type { ObjectReader } from "./data/csv-import.ts";
import { FILTER_VALUES, list, read, text } from "./members.ts";
import type { BatchInferenceJob } from "./resources.ts";
import { rankedItems, recommendedItems, sourceOf } from "./runtime.ts";
import { ServiceError } from "./service-error.ts";

const ID = text(256, { shortest: 1 });
const filterValues = FILTER_VALUES;
/**
 * The formats of input lines by type of recipe. Source: "Preparing input data for batch recommendations", developer
 * guide.
 */
const LINES = {
  USER_PERSONALIZATION: v.strictObject({ userId: ID, filterValues }),
  RELATED_ITEMS: v.strictObject({ itemId: ID, filterValues }),
  PERSONALIZED_RANKING: v.strictObject({ userId: ID, itemList: list(ID, 500, 1), filterValues }),
} as const;

const PLACE = /^s3:\/\/([^/]+)\/(.*)$/;

/**
 * Recommends for each line of the job's input, from the version's training data, and writes `<input>.out` to the output
 * folder. A failed line has an `error` there. Throws if the input or output cannot be used.
 */
export async function runBatch(account: Account, job: BatchInferenceJob, objects: ObjectReader): Promise<void> {
  const [, bucket = "", key = ""] = PLACE.exec(job.jobInput.s3DataSource.path) ?? [];
  const [, target = "", folder = ""] = PLACE.exec(job.jobOutput.s3DataDestination.path) ?? [];
  if (!(await objects.list(bucket, key)).includes(key)) throw new Error(`There is no file s3://${bucket}/${key}.`);
  const lines = createInterface({ input: Readable.from(await objects.read(bucket, key)), crlfDelay: Infinity });
  const answers: string[] = [];
  for await (const line of lines) if (line.trim() !== "") answers.push(JSON.stringify(answerTo(account, job, line)));
  if (answers.length === 0) throw new Error(`The input s3://${bucket}/${key} is empty.`);
  const name = key.split("/").at(-1);
  await objects.write(target, `${folder}${name}.out`, answers.map((answer) => `${answer}\n`).join(""));
}

function answerTo(account: Account, job: BatchInferenceJob, line: string): object {
  let input: unknown = line;
  try {
    input = JSON.parse(line);
    const source = sourceOf(account, account.find("solution-version", job.solutionVersionArn));
    const { filterArn, numResults } = job;
    const about = { ...(filterArn !== undefined && { filterArn }), newer: [] };
    const { type } = source.recipe;
    const asked = read(LINES[type], input);
    const found =
      "itemList" in asked
        ? rankedItems(account, source, { ...about, ...asked, inputList: asked.itemList }).slice(0, numResults)
        : recommendedItems(account, source, { ...about, ...asked }, numResults);
    const scores = found.flatMap(({ score }) => score ?? []);
    const output = { recommendedItems: found.map(({ itemId }) => itemId), ...(scores.length > 0 && { scores }) };
    return { input, output, error: null };
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof SyntaxError)) throw error;
    return { input, output: null, error: error.message };
  }
}
