import { execFile } from "node:child_process";
import { promisify } from "node:util";
import {
  CreateDatasetGroupCommand,
  CreateDatasetImportJobCommand,
  CreateSolutionVersionCommand,
  ListCampaignsCommand,
  ListDatasetImportJobsCommand,
  ListEventTrackersCommand,
} from "@aws-sdk/client-personalize";
import * as assert from "uvu/assert";
import { installCloud } from "../../packages/local-aws/cloud/install.ts";
import { openCampaign, openFilter, openShop, stockShop } from "../../packages/local-personalize/test/book-shop.ts";
import {
  ACCOUNT,
  type Harness,
  REGION,
  ROLE,
  startPersonalize,
} from "../../packages/local-personalize/test/harness.ts";
import { INSTALL_FOLDER } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local Personalize: errors of the service model");

/** Each operation's input members and errors, as botocore's copy of the service model declares them. */
const SCRIPT = `
import botocore.session, json, sys
model = botocore.session.get_session().get_service_model(sys.argv[1])
print(json.dumps({name: {
    "path": operation.http["requestUri"],
    "members": list(operation.input_shape.members) if operation.input_shape else [],
    "errors": [shape.name for shape in operation.error_shapes],
    "statuses": {shape.name: shape.metadata.get("error", {}).get("httpStatusCode") for shape in operation.error_shapes},
} for name, operation in ((name, model.operation_model(name)) for name in model.operation_names)}))
`;

type Model = Record<
  string,
  { path: string; members: string[]; errors: string[]; statuses: Record<string, number | undefined> }
>;

async function serviceModel(service: string): Promise<Model> {
  const python = await installCloud({ dir: INSTALL_FOLDER, onProgress: console.error });
  const { stdout } = await promisify(execFile)(python, ["-c", SCRIPT, service]);
  return JSON.parse(stdout);
}

/** Request values by member name. */
type Values = Record<string, unknown>;

async function send({ standIn }: Harness, operation: string, input: Values): Promise<string | undefined> {
  const { status, body } = await standIn.handle({
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": `AmazonPersonalize.${operation}` },
    body: Buffer.from(JSON.stringify(input)),
    service: "personalize",
    region: REGION,
  });
  return status === 200 ? undefined : JSON.parse(String(body)).__type;
}

/** ARNs of one resource of each kind, named "books", and other members that are valid. */
async function usedShop(harness: Harness): Promise<Values> {
  const { personalize } = harness;
  const shop = await openShop(harness);
  await stockShop(harness, shop);
  const campaignArn = await openCampaign(harness, shop, "aws-user-personalization");
  const filterArn = await openFilter(harness, shop, "books", "INCLUDE ItemID WHERE Items.PRICE > 1");
  const { campaigns } = await personalize.send(new ListCampaignsCommand({}));
  const { eventTrackers } = await personalize.send(new ListEventTrackersCommand({}));
  const { datasetImportJobs } = await personalize.send(new ListDatasetImportJobsCommand({}));
  const solutionArn = `arn:aws:personalize:${REGION}:${ACCOUNT}:solution/aws-user-personalization`;
  const { solutionVersionArn } = await personalize.send(new CreateSolutionVersionCommand({ solutionArn }));
  assert.is(campaigns?.length, 1);
  return {
    ...valid("books"),
    datasetGroupArn: shop.groupArn,
    datasetArn: shop.datasets.Items,
    schemaArn: `arn:aws:personalize:${REGION}:${ACCOUNT}:schema/books-Items`,
    datasetImportJobArn: datasetImportJobs?.[0]?.datasetImportJobArn,
    eventTrackerArn: eventTrackers?.[0]?.eventTrackerArn,
    filterArn,
    campaignArn,
    solutionArn,
    solutionVersionArn,
    resourceArn: shop.groupArn,
  };
}

function valid(name: string): Values {
  return {
    name,
    jobName: name,
    datasetType: "Items",
    dataSource: { dataLocation: "s3://data/x.csv" },
    roleArn: ROLE,
    recipeArn: "arn:aws:personalize:::recipe/aws-sims",
    filterExpression: "INCLUDE ItemID WHERE Items.PRICE > 1",
    schema: "{}",
    tags: [{ tagKey: "a", tagValue: "b" }],
    tagKeys: ["a"],
  };
}

/** The same values with each ARN replaced by that of a resource that does not exist. */
const missing = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name.endsWith("Arn") && name !== "roleArn" ? String(value).replace(/[^/]+$/, "none") : value,
    ]),
  );

test("fails only with errors that the service declares for the operation, or for every operation", async () => {
  const model = await serviceModel("personalize");
  const harness = await startPersonalize();
  try {
    const used = await usedShop(harness);
    const { datasetGroupArn } = await harness.personalize.send(new CreateDatasetGroupCommand({ name: "pending" }));
    const tags = Array.from({ length: 51 }, (_, index) => ({ tagKey: `k${index}`, tagValue: "" }));
    const worlds: Values[] = [
      used,
      missing(used),
      { ...used, datasetGroupArn },
      { ...used, ...valid("other"), datasetGroupArn },
      { ...used, ...valid("other"), tags },
      { ...used, ...valid("not a name") },
      { ...used, nextToken: "broken" },
      { ...used, maxResults: 0 },
      { ...used, tags: "none" },
    ];
    const undeclared = new Set<string>();
    const seen = new Set<string>();
    for (const [operation, { members, errors }] of Object.entries(model)) {
      // Deletions come last, because they change what other calls find.
      for (const world of operation.startsWith("Delete") ? worlds.toReversed() : worlds) {
        for (const input of [world, { ...world, surprise: 1 }]) {
          const known = Object.entries(input).filter(([name]) => members.includes(name) || name === "surprise");
          const code = await send(harness, operation, Object.fromEntries(known));
          if (code === undefined || code === "UnknownOperationException") continue;
          seen.add(code);
          // Validation fails every operation with this one; the model leaves it out at two lists.
          if (![...errors, "InvalidInputException"].includes(code)) undeclared.add(`${operation}: ${code}`);
        }
      }
    }
    assert.equal([...undeclared], []);
    for (const code of ["AlreadyExists", "NotFound", "InUse"]) assert.ok(seen.has(`Resource${code}Exception`), code);
    for (const code of ["InvalidNextToken", "TooManyTags"]) assert.ok(seen.has(`${code}Exception`), code);
  } finally {
    harness.stop();
  }
});

/** Sends a call of one of the REST APIs. Returns the error's code and status, as in `InvalidInputException 400`. */
async function sendRest({ standIn }: Harness, path: string, body: string): Promise<string> {
  const { status, headers } = await standIn.handle({
    method: "POST",
    path,
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(body),
    service: "personalize",
    region: REGION,
  });
  // Exceeds the limit of records in a second.
  await standIn.control.advance(1_000);
  return status === 200 ? "200" : `${headers?.["x-amzn-errortype"]} ${status}`;
}

test("the runtime and events APIs fail with the errors and statuses that the services declare", async () => {
  const harness = await startPersonalize();
  try {
    const used = await usedShop(harness);
    const { trackingId } = await openShop(harness, "tracked");
    const values: Values = {
      ...used,
      trackingId,
      sessionId: "s",
      userId: "u1",
      itemId: "i1",
      inputList: ["i1"],
      eventList: [{ eventType: "click", sentAt: 1_740_000_000, itemId: "i1" }],
      items: [{ itemId: "i1" }],
      users: [{ userId: "u1" }],
    };
    const seen = new Set<string>();
    const undeclared = new Set<string>();
    const sweep = async (name: string, { path, members, statuses }: Model[string]) => {
      const pick = (world: Values) =>
        Object.fromEntries(Object.entries(world).filter(([key]) => members.includes(key)));
      const plain = pick({ ...values, filterArn: undefined });
      const inputs = [plain, pick(values), pick(missing(values)), { ...plain, surprise: 1 }];
      for (const member of members) inputs.push({ ...plain, [member]: undefined }, { ...plain, [member]: { no: [7] } });
      for (const body of [...inputs.map((input) => JSON.stringify(input)), "{", "[]", "null"]) {
        const answer = await sendRest(harness, path, body);
        const [code = "", status] = answer.split(" ");
        if (answer === "200" || code === "UnknownOperationException") continue;
        seen.add(answer);
        if (statuses[code] !== Number(status)) undeclared.add(`${name}: ${answer} for ${body.slice(0, 100)}`);
      }
    };
    for (const service of ["personalize-runtime", "personalize-events"]) {
      const model = await serviceModel(service);
      for (const [name, operation] of Object.entries(model)) await sweep(name, operation);
      for (const [name, operation] of Object.entries(model)) {
        // The first call of the sweep meets the import in progress.
        await harness.personalize.send(
          new CreateDatasetImportJobCommand({
            jobName: name,
            datasetArn: String(used.datasetArn),
            dataSource: { dataLocation: "s3://data/import-1.csv" },
            roleArn: ROLE,
          }),
        );
        await sweep(name, operation);
      }
    }
    assert.equal([...undeclared], []);
    assert.equal([...seen].sort(), [
      "InvalidInputException 400",
      "ResourceInUseException 409",
      "ResourceNotFoundException 404",
    ]);
  } finally {
    harness.stop();
  }
});

test("rejects members that an operation does not have, instead of dropping them", async () => {
  const harness = await startPersonalize();
  try {
    assert.is(await send(harness, "CreateDatasetGroup", { name: "a", surprise: 1 }), "InvalidInputException");
    assert.is(await send(harness, "ListDatasetGroups", {}), undefined);
  } finally {
    harness.stop();
  }
});

test.run();
