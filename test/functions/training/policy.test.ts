import * as assert from "uvu/assert";
import { trainingPolicy } from "../../../functions/training/policy.ts";
import { suite } from "../../suite.ts";

const test = suite("training policy");

const arn = (path: string) => `arn:aws:personalize:eu-west-1:123456789012:${path}`;
const statements = trainingPolicy({
  project: "shop",
  region: "eu-west-1",
  resource: arn,
  bucket: "arn:aws:s3:::b",
  trainingTable: "training",
  ingestionTable: "ingestion",
  campaignParameters: "campaigns/*",
  executions: ["executions/*"],
  importRole: "role",
  key: "key",
  logGroup: "logs",
});
const resourcesOf = (action: string) =>
  statements.filter(({ actions }) => actions.includes(action)).flatMap(({ resources }) => resources);

test("has no wildcard action, and any resource only for lists and tags, which have no resource-level permissions", () => {
  assert.not(statements.some(({ actions }) => actions.some((action) => action.includes("*"))));
  const open = statements.filter(({ resources }) => resources.includes("*")).flatMap(({ actions }) => actions);
  assert.ok(open.every((action) => /^personalize:(List\w+|(Unt|T)agResource)$/.test(action)));
});

test("passes the import role only to Personalize", () => {
  assert.equal(resourcesOf("iam:PassRole"), ["role"]);
  const [statement] = statements.filter(({ actions }) => actions.includes("iam:PassRole"));
  assert.equal(statement?.conditions, { StringEquals: { "iam:PassedToService": "personalize.amazonaws.com" } });
});

test("writes neither to the bucket nor to the counters, and removes no dataset and no filter", () => {
  const actions = statements.flatMap((statement) => statement.actions);
  for (const action of ["s3:PutObject", "s3:DeleteObject", "personalize:DeleteDataset", "personalize:DeleteFilter"]) {
    assert.not(actions.includes(action), action);
  }
  assert.equal(resourcesOf("dynamodb:PutItem"), ["training"]);
});

test("removes only solutions of the project's recipes, not those of a project whose name goes on", () => {
  assert.equal(resourcesOf("personalize:DeleteSolution"), [
    arn("dataset-group/shop"),
    arn("solution/shop-user-personalization-*"),
    arn("solution/shop-similar-items-*"),
    arn("solution/shop-personalized-ranking-*"),
  ]);
});

test.run();
