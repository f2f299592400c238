import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as control from "@aws-sdk/client-personalize";
import * as events from "@aws-sdk/client-personalize-events";
import * as runtime from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { installCloud } from "../../packages/local-aws/cloud/install.ts";
import { avro, FIELDS } from "../../packages/local-personalize/test/book-shop.ts";
import { ROLE, startPersonalize } from "../../packages/local-personalize/test/harness.ts";
import { INSTALL_FOLDER } from "../fixtures/cloud.ts";
import { ROOT } from "../fixtures/env.ts";
import { type Call, product } from "../fixtures/product-calls.ts";
import { suite } from "../suite.ts";

const test = suite("local Personalize: boto3");

/** boto3 checks what it sends by its own model, and fails to parse an answer of another shape. */
const SCRIPT = `
import boto3, json, os, sys
config = dict(endpoint_url=sys.argv[1], region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x")
personalize = boto3.client("personalize", **config)
events = boto3.client("personalize-events", **config)
runtime = boto3.client("personalize-runtime", **config)
group = personalize.create_dataset_group(name="py", tags=[{"tagKey": "a", "tagValue": "b"}])["datasetGroupArn"]
described = personalize.describe_dataset_group(datasetGroupArn=group)["datasetGroup"]
while described["status"] != "ACTIVE":
    described = personalize.describe_dataset_group(datasetGroupArn=group)["datasetGroup"]
schema = personalize.create_schema(name="py", schema=sys.argv[2])["schemaArn"]
dataset = personalize.create_dataset(name="py", schemaArn=schema, datasetGroupArn=group, datasetType="Interactions")["datasetArn"]
tracker = personalize.create_event_tracker(name="py", datasetGroupArn=group)
personalize.create_filter(name="py", datasetGroupArn=group, filterExpression='EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("*")')
while personalize.describe_event_tracker(eventTrackerArn=tracker["eventTrackerArn"])["eventTracker"]["status"] != "ACTIVE": pass
events.put_events(trackingId=tracker["trackingId"], userId="u", sessionId="s", eventList=[
    {"eventType": "click", "itemId": "i", "sentAt": 1700000000, "properties": json.dumps({"eventValue": 2})}])
personalize.create_dataset_import_job(jobName="py", datasetArn=dataset, dataSource={"dataLocation": "s3://b/k.csv"}, roleArn=sys.argv[3])
personalize.create_solution(name="py", datasetGroupArn=group, recipeArn="arn:aws:personalize:::recipe/aws-sims", performAutoTraining=False)
error = None
try:
    runtime.get_recommendations(campaignArn="arn:aws:personalize:eu-west-1:123456789012:campaign/none", userId="u")
except runtime.exceptions.ResourceNotFoundException as caught:
    error = caught.response["Error"]["Code"]
print(json.dumps({
    "year": described["creationDateTime"].year,
    "error": error,
    "groups": [g["name"] for g in personalize.list_dataset_groups()["datasetGroups"]],
    "schemas": [s["name"] for s in personalize.list_schemas()["schemas"]],
    "datasets": [d["datasetType"] for d in personalize.list_datasets(datasetGroupArn=group)["datasets"]],
    "trackers": [t["name"] for t in personalize.list_event_trackers()["eventTrackers"]],
    "filters": [f["name"] for f in personalize.list_filters()["Filters"]],
    "jobs": [j["jobName"] for j in personalize.list_dataset_import_jobs()["datasetImportJobs"]],
    "solutions": [s["name"] for s in personalize.list_solutions()["solutions"]],
    "versions": personalize.list_solution_versions()["solutionVersions"],
    "campaigns": personalize.list_campaigns()["campaigns"],
    "recipes": len(personalize.list_recipes()["recipes"]),
    "tags": personalize.list_tags_for_resource(resourceArn=group)["tags"],
}))
`;

/** Sends the calls of standard input and prints what each ended with. Refuses parameters that its model does not have. */
const SENDER = `
import boto3, json, sys
from botocore import xform_name
from botocore.exceptions import ClientError, ParamValidationError
config = dict(endpoint_url=sys.argv[1], region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x")
clients = [boto3.client(name, **config) for name in ["personalize", "personalize-events", "personalize-runtime"]]
def outcome(operation, parameters):
    [client] = [one for one in clients if operation in one.meta.service_model.operation_names]
    try:
        getattr(client, xform_name(operation))(**parameters)
        return "accepted"
    except ClientError as error:
        return error.response["Error"]["Code"]
    except ParamValidationError as error:
        return f"unknown to boto3: {error}"
print(json.dumps([outcome(*call) for call in json.load(open(sys.argv[2]))]))
`;

// The Python of the local AWS endpoint includes boto3.
const python = await installCloud({ dir: INSTALL_FOLDER, onProgress: console.error });

test("creates, describes and lists without a validation error", async () => {
  const harness = await startPersonalize();
  // The clock of the harness stands still; each call of the script moves it, so that resources change state.
  const handle = harness.standIn.handle;
  harness.standIn.handle = async (request) => {
    await harness.standIn.control.advance(50);
    return handle(request);
  };
  try {
    const schema = avro("Interactions", FIELDS.Interactions);
    const { stdout } = await promisify(execFile)(python, ["-c", SCRIPT, harness.endpoint, schema, ROLE]);
    assert.equal(JSON.parse(stdout), {
      year: 2025,
      error: "ResourceNotFoundException",
      groups: ["py"],
      schemas: ["py"],
      datasets: ["INTERACTIONS"],
      trackers: ["py"],
      filters: ["py"],
      jobs: ["py"],
      solutions: ["py"],
      versions: [],
      campaigns: [],
      recipes: 8,
      tags: [{ tagKey: "a", tagValue: "b" }],
    });
  } finally {
    harness.stop();
  }
});

/** Returns the operations of Personalize that the product's code names. */
function namedOperations(): string[] {
  const known = new Set([control, events, runtime].flatMap(Object.keys));
  const sources = ["lib", "cli", "functions"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  );
  const commands = sources
    .filter((text) => text.includes("@aws-sdk/client-personalize"))
    .flatMap((text) => text.match(/\b[A-Z]\w+Command\b/g) ?? []);
  return [...new Set(commands)].filter((name) => known.has(name)).map((name) => name.replace(/Command$/, ""));
}

test("boto3's model has every call that the product sends, with its parameters", async () => {
  const { harness, names, use, remove, taken } = await product();
  const folder = mkdtempSync(join(tmpdir(), "boto3-"));
  const resent = async (calls: readonly Call[]) => {
    const file = join(folder, "calls.json");
    writeFileSync(file, JSON.stringify(calls));
    const { stdout } = await promisify(execFile)(python, ["-c", SENDER, harness.endpoint, file]);
    const outcomes: string[] = JSON.parse(stdout);
    taken();
    return calls.map(([operation], index) => [operation, outcomes[index] ?? ""] as const);
  };
  try {
    await use();
    const used = taken();
    // What the product does not use, and the guide tells of.
    const campaignArn = names.campaignArn("similar_items");
    const campaignConfig = { enableMetadataWithRecommendations: true };
    await harness.personalize.send(new control.UpdateCampaignCommand({ campaignArn, campaignConfig }));
    await harness.settle();
    const about = { campaignArn, itemId: "i1", numResults: 5 };
    const promotions = [{ name: "new", percentPromotedItems: 20 }];
    assert.equal(
      await resent([
        ["GetRecommendations", { ...about, metadataColumns: { ITEMS: ["CATEGORIES"] } }],
        ["GetRecommendations", { ...about, promotions }],
        ["GetRecommendations", { ...about, limit: 5 }],
      ]).then((all) => all.map(([, outcome]) => outcome.split(":")[0])),
      ["accepted", "InvalidInputException", "unknown to boto3"],
    );
    const first = await resent(used);
    assert.equal(
      first.filter(([operation, outcome]) => /^(Get|List|Describe|Put)/.test(operation) && outcome !== "accepted"),
      [],
    );
    assert.match(await remove(), "used by what this service did not create: campaign by-hand");
    const all = [...first, ...(await resent(taken()))];
    assert.equal(
      all.filter(([, outcome]) => outcome.startsWith("unknown")),
      [],
    );
    const sent = new Set(all.map(([operation]) => operation));
    assert.equal(
      namedOperations().filter((name) => !sent.has(name)),
      [],
    );
  } finally {
    rmSync(folder, { recursive: true });
    harness.stop();
  }
});

test.run();
