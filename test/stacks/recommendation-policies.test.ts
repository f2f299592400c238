import * as assert from "uvu/assert";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { ACCOUNT, allows, arn, type Call, call, statementsOf } from "./iam.ts";
import { ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: permissions of the recommendation service's roles");

const config = recommendation([["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }]]);
const personalization = synth("personalization", { config });
const service = synth("recommendation", { config });

const BUCKET = `arn:aws:s3:::my-project-relevance-${ACCOUNT}-eu-west-1`;
const KEY = arn("kms", "key/0a1b2c3d");
const PROJECT_KEY = { "kms:ResourceAliases": ["alias/my-project-relevance"] };
const SERVICE_KEY = { "kms:ResourceAliases": ["alias/my-project-recommendation"] };
/** The service's own key, which its stack names by reference. */
const OWN_KEY = ref("aws_kms_key.log-key.arn");
const TABLES = { "kms:ViaService": "dynamodb.eu-west-1.amazonaws.com" };
const personalize = (path: string) => arn("personalize", path);
const table = (name: string) => arn("dynamodb", `table/my-project-${name}`);
const fn = (name: string) => arn("lambda", `function:my-project-${name}:live`);
const machine = (name: string) => arn("states", `stateMachine:my-project-${name}`);
const parameter = (path: string) => arn("ssm", `parameter/relevance/my-project/${path}`);
const log = (name: string) => arn("logs", `log-group:/aws/lambda/my-project-${name}:log-stream:x`);
const TOPIC = arn("sns", "my-project-alarms");

const ROLES: ReadonlyArray<{ role: string; stack: Stack; does: Call[]; doesNot: Call[] }> = [
  {
    role: "personalize-manager-role",
    stack: personalization,
    does: [
      call("personalize:CreateDatasetGroup", personalize("dataset-group/my-project")),
      call("personalize:CreateFilter", personalize("filter/my-project-category-0123456789")),
      call("personalize:UpdateCampaign", personalize("campaign/my-project-similar-items")),
      call("personalize:DeleteEventTracker", personalize("event-tracker/8f3a")),
      call("ssm:PutParameter", parameter("recommendation/filters/category")),
      call("ssm:PutParameter", parameter("recommendation/campaigns/similar_items")),
      call("ssm:PutParameter", parameter("recommendation/event-tracker")),
      call("personalize:ListDatasetImportJobs", "*"),
      call("personalize:ListSchemas", "*"),
      call("dynamodb:GetItem", table("training")),
      call("kms:Decrypt", KEY, SERVICE_KEY),
      call("logs:PutLogEvents", log("personalize-manager")),
    ],
    doesNot: [
      call("personalize:DeleteDatasetGroup", personalize("dataset-group/other")),
      call("personalize:DeleteFilter", personalize("filter/other-category-0123456789")),
      call("personalize:DeleteCampaign", personalize("campaign/my-project-eu-similar-items")),
      call("personalize:DeleteSchema", personalize("schema/my-project-eu-item-0a1b2c3d")),
      call("personalize:CreateSolutionVersion", personalize("solution/my-project-x")),
      call("ssm:PutParameter", parameter("search-gateway/api-url")),
      call("ssm:PutParameter", parameter("recommendation/api-url")),
      call("personalize:DescribeSolution", personalize("solution/my-project-x")),
      call("dynamodb:PutItem", table("training")),
      call("kms:Decrypt", KEY, PROJECT_KEY),
      call("kms:Decrypt", KEY),
      call("iam:PassRole", `arn:aws:iam::${ACCOUNT}:role/my-project-personalize-eu-west-1`),
    ],
  },
  {
    role: "import-role",
    stack: personalization,
    does: [
      call("s3:ListBucket", BUCKET),
      call("s3:GetObject", `${BUCKET}/etl/run=x/users/0.csv`),
      ...["Decrypt", "GenerateDataKey", "DescribeKey", "ListGrants"].map((name) =>
        call(`kms:${name}`, KEY, PROJECT_KEY),
      ),
    ],
    doesNot: [
      call("s3:GetObject", `${BUCKET}/events/2026/01/01/00/x`),
      call("s3:PutObject", `${BUCKET}/etl/x`),
      call("kms:Decrypt", KEY, { "kms:ResourceAliases": ["alias/other"] }),
      // The key's policy allows it.
      call("kms:CreateGrant", KEY, PROJECT_KEY),
    ],
  },
  {
    role: "recommendation-api-role",
    stack: service,
    does: [
      call("s3:GetObject", `${BUCKET}/documents/placements/current.json`),
      call("kms:Decrypt", KEY, PROJECT_KEY),
      call("dynamodb:BatchWriteItem", table("users")),
      call("dynamodb:UpdateItem", table("ingestion")),
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/my-project-events")),
      call("sqs:SendMessage", arn("sqs", "my-project-realtime")),
      call("personalize:GetRecommendations", personalize("campaign/my-project-similar-items")),
      call("personalize:GetPersonalizedRanking", personalize("campaign/my-project-personalized-ranking")),
      // IAM supports this action only on all resources.
      call("personalize:PutEvents", "*"),
      call("kms:Decrypt", OWN_KEY, TABLES),
    ],
    doesNot: [
      call("s3:PutObject", `${BUCKET}/documents/placements/current.json`),
      call("s3:GetObject", `${BUCKET}/events/2026/01/01/00/a`),
      call("s3:ListBucket", BUCKET),
      call("kms:Decrypt", KEY, { "kms:ResourceAliases": ["alias/other-relevance"] }),
      call("dynamodb:Scan", table("users")),
      call("dynamodb:BatchWriteItem", table("training")),
      call("dynamodb:Scan", table("built-in")),
      call("personalize:GetRecommendations", personalize("campaign/other-similar-items")),
      call("personalize:GetRecommendations", personalize("campaign/my-project-personalized-ranking")),
      call("ssm:PutParameter", parameter("recommendation/event-tracker")),
      call("kms:Decrypt", OWN_KEY, { "kms:ViaService": "s3.eu-west-1.amazonaws.com" }),
      call("s3:GetObject", `${BUCKET}/etl/x`),
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/my-project-recommendation-logs")),
    ],
  },
  {
    role: "recommendation-log-handler-role",
    stack: service,
    does: [
      call("firehose:PutRecordBatch", arn("firehose", "deliverystream/my-project-recommendation-logs")),
      call("sqs:SendMessage", arn("sqs", "my-project-recommendation-log-failed")),
      call("logs:PutLogEvents", log("recommendation-log-handler")),
    ],
    doesNot: [call("firehose:PutRecordBatch", arn("firehose", "deliverystream/my-project-events"))],
  },
  {
    role: "realtime-sync-role",
    stack: service,
    does: [
      call("sqs:ReceiveMessage", arn("sqs", "my-project-realtime")),
      call("personalize:PutUsers", personalize("dataset/my-project/USERS")),
      call("personalize:PutItems", personalize("dataset/my-project/ITEMS")),
      call("kms:Decrypt", OWN_KEY, TABLES),
    ],
    doesNot: [
      call("sqs:SendMessage", arn("sqs", "my-project-realtime")),
      call("personalize:PutUsers", personalize("dataset/other/USERS")),
      call("dynamodb:BatchWriteItem", table("users")),
    ],
  },
  {
    role: "etl-role",
    stack: service,
    does: [
      call("s3:GetObject", `${BUCKET}/events/2026/01/01/00/x`),
      call("s3:PutObject", `${BUCKET}/etl/run=x/plan/plan.json`),
      call("dynamodb:Scan", table("items")),
      call("dynamodb:PutItem", table("popular-items")),
      call("dynamodb:BatchWriteItem", table("built-in")),
      call("kms:GenerateDataKey", KEY, PROJECT_KEY),
    ],
    doesNot: [
      call("s3:DeleteObject", `${BUCKET}/events/2026/01/01/00/x`),
      call("s3:GetObject", `${BUCKET}/logs/search/x`),
      call("s3:GetObject", `${BUCKET}/configuration/schema/user_schema.json`),
      call("kms:Decrypt", KEY, { "kms:ResourceAliases": ["alias/other"] }),
      call("personalize:CreateDatasetImportJob", personalize("dataset/my-project/USERS")),
    ],
  },
  {
    role: "training-role",
    stack: service,
    does: [
      call("personalize:CreateSolutionVersion", personalize("solution/my-project-similar-items-0a1b2c3d")),
      call("personalize:UpdateCampaign", personalize("campaign/my-project-similar-items")),
      call("ssm:PutParameter", parameter("recommendation/campaigns/similar_items")),
      call("states:StopExecution", arn("states", "execution:my-project-training:x")),
      call("personalize:ListCampaigns", "*"),
      call("iam:PassRole", `arn:aws:iam::${ACCOUNT}:role/my-project-personalize-eu-west-1`, {
        "iam:PassedToService": "personalize.amazonaws.com",
      }),
    ],
    doesNot: [
      call("personalize:DeleteDatasetGroup", personalize("dataset-group/my-project")),
      call("personalize:DeleteFilter", personalize("filter/my-project-category-0123456789")),
      call("ssm:PutParameter", parameter("recommendation/filters/category")),
      call("states:StopExecution", arn("states", "execution:other-training:x")),
      call("iam:PassRole", `arn:aws:iam::${ACCOUNT}:role/my-project-personalize-eu-west-1`, {
        "iam:PassedToService": "lambda.amazonaws.com",
      }),
    ],
  },
  {
    role: "state-machines-role",
    stack: service,
    does: [
      call("lambda:InvokeFunction", fn("etl")),
      call("lambda:InvokeFunction", fn("training")),
      call("s3:GetObject", `${BUCKET}/etl/run=x/plan/reads.json`),
      call("kms:Decrypt", KEY, PROJECT_KEY),
      call("states:StartExecution", machine("training")),
      call("states:DescribeExecution", arn("states", "execution:my-project-etl/TransformEvents:x")),
    ],
    doesNot: [
      call("lambda:InvokeFunction", fn("personalize-manager")),
      call("s3:PutObject", `${BUCKET}/etl/x`),
      call("states:StartExecution", machine("teardown")),
      call("sns:Publish", TOPIC),
    ],
  },
  {
    role: "training-report-role",
    stack: service,
    does: [call("sns:Publish", TOPIC), call("kms:GenerateDataKey", KEY, PROJECT_KEY)],
    doesNot: [
      call("sns:Publish", arn("sns", "other")),
      call("lambda:InvokeFunction", fn("training")),
      call("kms:GenerateDataKey", KEY, { "kms:ResourceAliases": ["alias/other"] }),
    ],
  },
  {
    role: "training-events-role",
    stack: service,
    does: [call("states:StartExecution", machine("training-report"))],
    doesNot: [
      call("states:StartExecution", machine("training")),
      call("sns:Publish", TOPIC),
      call("lambda:InvokeFunction", fn("training")),
    ],
  },
  {
    role: "retraining-role",
    stack: service,
    does: [call("states:StartExecution", machine("training"))],
    doesNot: [
      call("states:StartExecution", machine("teardown")),
      call("states:StopExecution", arn("states", "execution:my-project-training:x")),
      call("lambda:InvokeFunction", fn("training")),
    ],
  },
  {
    role: "delivery-role",
    stack: service,
    does: [call("s3:PutObject", `${BUCKET}/events/x`), call("s3:PutObject", `${BUCKET}/errors/x`)],
    doesNot: [
      call("s3:PutObject", `${BUCKET}/etl/x`),
      call("s3:GetObject", `${BUCKET}/events/x`),
      call("s3:PutObject", `${BUCKET}/logs/search/x`),
    ],
  },
  {
    role: "logs-delivery-role",
    stack: service,
    does: [call("s3:PutObject", `${BUCKET}/logs/recommendations/x`), call("s3:PutObject", `${BUCKET}/errors/x`)],
    doesNot: [call("s3:PutObject", `${BUCKET}/logs/search/x`), call("s3:PutObject", `${BUCKET}/events/x`)],
  },
];

for (const { role, stack, does, doesNot } of ROLES) {
  test(`${role} may do its work and no more`, () => {
    const statements = statementsOf(stack, role);
    const wrong = [does.filter((one) => !allows(statements, one)), doesNot.filter((one) => allows(statements, one))];
    assert.equal(wrong, [[], []]);
  });
}

test("covers every role", () => {
  const roles = [personalization, service].flatMap((stack) => stack.ids("aws_iam_role"));
  assert.equal(roles.sort(), ROLES.map(({ role }) => role).sort());
});

test("allows no wildcard action", () => {
  for (const { role, stack } of ROLES) {
    for (const { Action } of statementsOf(stack, role)) assert.not.ok([Action].join().includes("*"), role);
  }
});

/** Logs, traces and metrics: the allowed actions of these services support no resource. */
const ANY_RESOURCE = /^(logs|xray|cloudwatch):/;

test("allows all resources only for actions that support none: Personalize's lists, tags and PutEvents", () => {
  const open = ROLES.flatMap(({ role, stack }) => statementsOf(stack, role))
    .filter(({ Resource }) => Resource.includes("*"))
    .flatMap(({ Action }) => Action)
    .filter((action) => !ANY_RESOURCE.test(action));
  assert.equal([...new Set(open)].sort(), [
    "personalize:ListCampaigns",
    "personalize:ListDatasetImportJobs",
    "personalize:ListEventTrackers",
    "personalize:ListFilters",
    "personalize:ListSchemas",
    "personalize:ListSolutionVersions",
    "personalize:ListSolutions",
    "personalize:ListTagsForResource",
    "personalize:PutEvents",
    "personalize:TagResource",
    "personalize:UntagResource",
  ]);
});

test.run();
