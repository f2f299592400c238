import * as assert from "uvu/assert";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { versionToServe } from "../../../../lib/recommendation/training/version-to-serve.ts";
import {
  openFilter,
  openShop,
  stockShop,
  trainVersion,
} from "../../../../packages/local-personalize/test/book-shop.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { suite } from "../../../suite.ts";
import { asRole } from "../../personalize/resources/as-role.ts";
import { failureOf } from "../../personalize/resources/managed.ts";
import { judged } from "./memory-state.ts";

const test = suite("version for a campaign to serve");

const harness = await startPersonalize();
const names = namesOf({ project: "books", account: ACCOUNT, region: REGION });
const personalize = asRole(personalizeOf(harness.personalize), "personalize-manager", names);
const versions: string[] = [];

test.before(async () => {
  const shop = await openShop(harness, "books");
  await stockShop(harness, shop);
  for (const settings of ["old", "new"]) {
    const name = names.solution("similar_items", settings);
    versions.push((await trainVersion(harness, shop, "aws-sims", { name })).solutionVersionArn);
  }
  await openFilter(harness, shop, "by-hand", 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("c1")');
});

test.after(() => harness.stop());

const served = (recipe: () => Promise<unknown>) =>
  versionToServe(personalize, names, { recipe: recipe as () => Promise<undefined> }, "similar_items");
const refused = (name: string, message: string) => async () => {
  throw Object.assign(new Error(message), { name });
};

test("is the newest that was not held back, whatever else others created in the dataset group", async () => {
  assert.is(await served(async () => undefined), versions[1]);
  assert.is(await served(async () => ({ held: [judged(versions[1] ?? "")], revision: 1 })), versions[0]);
});

test("waits for a key whose permission is not effective yet, and throws on any other refusal", async () => {
  const message =
    "The permission to read the training table is still PENDING: apply again; it resumes where it stopped";
  const denied = "User: arn:aws:sts::1:assumed-role/x is not authorized to perform: kms:Decrypt on resource: key/1";
  for (const failure of [
    refused("AccessDeniedException", denied),
    refused("AccessDeniedException", "KMS key access denied error: not authorized"),
    refused("KMSAccessDeniedException", "The ciphertext refers to a key that you may not use."),
  ]) {
    assert.is(await failureOf(served(failure)), `StillInProgress: ${message}`);
  }
  const other = refused("AccessDeniedException", "not authorized to perform: dynamodb:GetItem on resource: table/t");
  assert.match(await failureOf(served(other)), "AccessDeniedException: not authorized to perform: dynamodb:GetItem");
});

test.run();
