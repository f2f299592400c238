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

test("changes what a training makes, its own records and its parameters, and nothing else", () => {
  const changes = statements
    .flatMap((statement) => statement.actions)
    .filter((action) => !/:(Get|List|Describe|BatchGet|Decrypt)/.test(action));
  assert.equal(changes.sort(), [
    "dynamodb:DeleteItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "iam:PassRole",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "personalize:CreateCampaign",
    "personalize:CreateDatasetImportJob",
    "personalize:CreateSolution",
    "personalize:CreateSolutionVersion",
    "personalize:DeleteCampaign",
    "personalize:DeleteSolution",
    "personalize:StopSolutionVersionCreation",
    "personalize:TagResource",
    "personalize:UpdateCampaign",
    "ssm:DeleteParameter",
    "ssm:PutParameter",
    "states:StopExecution",
  ]);
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
