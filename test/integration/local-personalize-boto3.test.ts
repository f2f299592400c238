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
import { INSTALL_FOLDER } from "../fixtures/cloud.ts";
import { ROOT } from "../fixtures/env.ts";
import { type Call, product } from "../fixtures/product-calls.ts";
import { suite } from "../suite.ts";

const test = suite("local Personalize: boto3");

/**
 * Sends calls and prints the outcome of each. boto3 refuses parameters that its model does not have, and fails to parse
 * an answer of another shape.
 */
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
