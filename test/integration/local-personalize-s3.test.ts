import {
  CreateDatasetCommand,
  CreateDatasetGroupCommand,
  CreateDatasetImportJobCommand,
  CreateSchemaCommand,
  DescribeDatasetImportJobCommand,
  PersonalizeClient,
} from "@aws-sdk/client-personalize";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import type { StandIn } from "../../packages/local-aws/cloud/stand-in.ts";
import { s3Objects } from "../../packages/local-personalize/data/s3-objects.ts";
import { createPersonalize, type PersonalizeStandIn } from "../../packages/local-personalize/personalize.ts";
import { avro, FIELDS } from "../../packages/local-personalize/test/book-shop.ts";
import { ROLE } from "../../packages/local-personalize/test/harness.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local Personalize: imports from the local S3");

/** Created after the cloud, whose address it needs to reach S3. */
let standIn: PersonalizeStandIn | undefined;
const behind: StandIn = {
  services: ["personalize"],
  handle: (request) => standIn?.handle(request) ?? Promise.reject(new Error("asked before it was made")),
};
const cloud = await ownCloud({ standIns: [behind] });
const s3 = new S3Client(clientOptions(cloud));
const personalize = new PersonalizeClient(clientOptions(cloud));
standIn = createPersonalize({ accountId: ACCOUNT_ID, region: REGION, objects: s3Objects(s3) });
const { control } = standIn;

test("an import reads more files than one listing returns, through the endpoint that everything else uses", async () => {
  await s3.send(new CreateBucketCommand({ Bucket: "data", CreateBucketConfiguration: { LocationConstraint: REGION } }));
  const header = "ITEM_ID,CATEGORIES,PRICE,BLURB,IS_ACTIVE";
  const put = (name: string, body: string) =>
    s3.send(new PutObjectCommand({ Bucket: "data", Key: `run/${name}`, Body: body }));
  for (let start = 0; start < 1010; start += 10) {
    const numbers = Array.from({ length: 10 }, (_, offset) => start + offset);
    await Promise.all(numbers.map((n) => put(`${String(n).padStart(4, "0")}.csv`, `${header}\ni${n},War,1,,True`)));
  }
  await put("1010.csv", `${header}\ni1,War,cheap,,True`);

  const { datasetGroupArn } = await personalize.send(new CreateDatasetGroupCommand({ name: "shop" }));
  const schema = avro("Items", FIELDS.Items);
  const { schemaArn } = await personalize.send(new CreateSchemaCommand({ name: "items", schema }));
  await control.advance(60_000);
  const { datasetArn } = await personalize.send(
    new CreateDatasetCommand({ name: "items", schemaArn, datasetGroupArn, datasetType: "Items" }),
  );
  await control.advance(60_000);
  const run = async (jobName: string, dataLocation: string) => {
    const input = { jobName, datasetArn, dataSource: { dataLocation }, roleArn: ROLE };
    const { datasetImportJobArn } = await personalize.send(new CreateDatasetImportJobCommand(input));
    await control.advance(60_000);
    return (await personalize.send(new DescribeDatasetImportJobCommand({ datasetImportJobArn }))).datasetImportJob;
  };
  // The bad value is in the last file, behind the first listing of 1,000.
  assert.match(
    (await run("all", "s3://data/run/"))?.failureReason ?? "",
    /run\/1010\.csv, row 1, PRICE: "cheap" is not/,
  );
  assert.is((await run("one", "s3://data/run/0007.csv"))?.status, "ACTIVE");
  assert.match(
    (await run("none", "s3://elsewhere/run/"))?.failureReason ?? "",
    /Insufficient privileges .*NoSuchBucket/,
  );
});

test.run();
