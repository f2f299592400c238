import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { installCloud } from "../../packages/local-aws/cloud/install.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: which permissions a call needs");
const python = await installCloud({ dir: join(ROOT, ".local"), onProgress: console.error });
const env = {
  PATH: process.env.PATH,
  PYTHONPATH: join(ROOT, "packages/local-aws"),
  PYTHONDONTWRITEBYTECODE: "1",
};
const run = (code: string, input: unknown = []) =>
  JSON.parse(execFileSync(python, ["-c", code], { env, input: JSON.stringify(input), encoding: "utf8" }));

const NEEDS = `
import json, sys
from guarded_moto.guard_calls import Request, call_of
from guarded_moto.guard_resources import NoEntry, needs_of
def needs(service, method, url, body="", headers={}):
    path, _, query = url.partition("?")
    call = call_of(("key", "eu-west-1", service), Request(method, path, query, headers, body.encode()))
    try:
        return [f"{need.action} {need.resource}" for need in needs_of(call, "123456789012")]
    except NoEntry as error:
        return [str(error)]
print(json.dumps([needs(*call) for call in json.load(sys.stdin)]))
`;

type Call = readonly [service: string, method: string, url: string, body?: string, headers?: Record<string, string>];
const form = { "content-type": "application/x-www-form-urlencoded" };
const target = (operation: string) => ({ "x-amz-target": `Any_20120101.${operation}` });
const HERE = "eu-west-1:123456789012";
const ROLE = "arn:aws:iam::123456789012:role/one";

const CALLS: readonly (readonly [Call, readonly string[]])[] = [
  [["s3", "GET", "/data/a%20b?x-id=GetObject"], ["s3:GetObject arn:aws:s3:::data/a b"]],
  [["s3", "GET", "/data/a?versionId=3"], ["s3:GetObjectVersion arn:aws:s3:::data/a"]],
  [["s3", "HEAD", "/data"], ["s3:ListBucket arn:aws:s3:::data"]],
  [["s3", "GET", "/data/?list-type=2"], ["s3:ListBucket arn:aws:s3:::data"]],
  [["s3", "PUT", "/data/a?partNumber=1&uploadId=2"], ["s3:PutObject arn:aws:s3:::data/a"]],
  [["s3", "GET", "/data?accelerate"], ["s3:GetAccelerateConfiguration arn:aws:s3:::data"]],
  [["s3", "PUT", "/data?lifecycle"], ["s3:PutLifecycleConfiguration arn:aws:s3:::data"]],
  [
    ["s3", "POST", "/data?delete", "<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>"],
    ["s3:DeleteObjectVersion arn:aws:s3:::data/a"],
  ],
  [
    [
      "lambda",
      "POST",
      `/2015-03-31/functions/${encodeURIComponent(`arn:aws:lambda:${HERE}:function:etl`)}/invocations?Qualifier=live`,
    ],
    [`lambda:InvokeFunction arn:aws:lambda:${HERE}:function:etl:live`],
  ],
  [
    ["lambda", "GET", "/2015-03-31/functions/etl?Qualifier=1"],
    [`lambda:GetFunction arn:aws:lambda:${HERE}:function:etl`],
  ],
  [
    ["dynamodb", "POST", "/", '{"RequestItems": {"users": {}, "items": {}}}', target("BatchGetItem")],
    [
      `dynamodb:BatchGetItem arn:aws:dynamodb:${HERE}:table/users`,
      `dynamodb:BatchGetItem arn:aws:dynamodb:${HERE}:table/items`,
    ],
  ],
  [
    ["ssm", "POST", "/", '{"Names": ["/relevance/a", "/relevance/b"]}', target("GetParameters")],
    [
      `ssm:GetParameters arn:aws:ssm:${HERE}:parameter/relevance/a`,
      `ssm:GetParameters arn:aws:ssm:${HERE}:parameter/relevance/b`,
    ],
  ],
  [
    ["sqs", "POST", "/", '{"QueueUrl": "http://127.0.0.1/1/orders"}', target("SendMessageBatch")],
    [`sqs:SendMessage arn:aws:sqs:${HERE}:orders`],
  ],
  [
    ["monitoring", "POST", "/", "Action=PutDashboard&DashboardName=shop", form],
    ["cloudwatch:PutDashboard arn:aws:cloudwatch::123456789012:dashboard/shop"],
  ],
  [
    ["route53", "POST", "/2013-04-01/hostedzone/Z/rrset"],
    ["route53:ChangeResourceRecordSets arn:aws:route53:::hostedzone/Z"],
  ],
  [
    [
      "events",
      "POST",
      "/",
      JSON.stringify({ Rule: "ends", Targets: [{ Id: "1", RoleArn: ROLE }] }),
      target("PutTargets"),
    ],
    [`events:PutTargets arn:aws:events:${HERE}:rule/ends`, `iam:PassRole ${ROLE}`],
  ],
  [
    ["apigateway", "PATCH", "/restapis/x", '{"patchOperations": [{"path": "/policy", "value": "{}"}]}'],
    [
      "apigateway:PATCH arn:aws:apigateway:eu-west-1::/restapis/x",
      "apigateway:UpdateRestApiPolicy arn:aws:apigateway:eu-west-1::/restapis/x",
    ],
  ],
  [
    [
      "personalize",
      "POST",
      "/",
      JSON.stringify({ datasetGroupArn: "arn:aws:personalize:::dataset-group/shop", datasetType: "Items" }),
      target("CreateDataset"),
    ],
    [`personalize:CreateDataset arn:aws:personalize:${HERE}:dataset/shop/ITEMS`],
  ],
  [["personalize", "POST", "/events", '{"trackingId": "1"}'], ["personalize:PutEvents *"]],
  [
    ["sagemaker", "POST", "/endpoints/one/invocations"],
    [`sagemaker:InvokeEndpoint arn:aws:sagemaker:${HERE}:endpoint/one`],
  ],
  [
    ["bedrock", "POST", "/model/cohere.embed/invoke"],
    ["bedrock:InvokeModel arn:aws:bedrock:eu-west-1::foundation-model/cohere.embed"],
  ],
  ...[
    ["eu", "eu-central-1", "eu-west-3"],
    ["jp", "ap-northeast-1", "ap-northeast-3"],
  ].map(
    ([area, ...regions]) =>
      [
        ["bedrock", "POST", `/model/${area}.cohere.embed/invoke`],
        [
          `bedrock:InvokeModel arn:aws:bedrock:${HERE}:inference-profile/${area}.cohere.embed`,
          ...["eu-west-1", ...regions].map(
            (region) => `bedrock:InvokeModel arn:aws:bedrock:${region}::foundation-model/cohere.embed`,
          ),
        ],
      ] as const,
  ),
  [
    ["sqs", "POST", "/", '{"QueueName": "orders", "tags": {"project": "shop"}}', target("CreateQueue")],
    [`sqs:CreateQueue arn:aws:sqs:${HERE}:orders`, `sqs:TagQueue arn:aws:sqs:${HERE}:orders`],
  ],
  [
    ["iam", "POST", "/", "Action=CreateRole&RoleName=one&Tags.member.1.Key=project&Tags.member.1.Value=shop", form],
    [`iam:CreateRole ${ROLE}`, `iam:TagRole ${ROLE}`],
  ],
  [["sts", "POST", "/", "Action=GetCallerIdentity", form], []],
  [
    ["s3", "PUT", "/data?accelerate"],
    [
      "the local cloud does not know which permission s3:PutBucketAccelerateConfiguration needs: add it to guard_table.json",
    ],
  ],
];

test("finds the permissions from operation and parameters", () => {
  const found = run(
    NEEDS,
    CALLS.map(([call]) => call),
  );
  for (const [index, [call, needs]] of CALLS.entries()) assert.equal(found[index], needs, call.slice(0, 3).join(" "));
});

test("lists only operations that exist", () => {
  const unknown = run(`
import json
from botocore.session import get_session
from guarded_moto.guard_resources import table
from guarded_moto.guard_table import OPERATIONS, PASSED_ROLES
session = get_session()
names = {"es": ["opensearch"], "monitoring": ["cloudwatch"], "servicequotas": ["service-quotas"], "states": ["stepfunctions"],
         "personalize": ["personalize", "personalize-runtime", "personalize-events"], "bedrock": ["bedrock", "bedrock-runtime"],
         "sagemaker": ["sagemaker", "sagemaker-runtime"], "wafv2": ["wafv2"], "servicequotas": ["service-quotas"]}
known = {service: {name for one in names.get(service, [service]) for name in session.get_service_model(one).operation_names}
         for service in [*OPERATIONS, "apigateway"]}
listed = [f"{service}:{operation}" for service in OPERATIONS for operation in table(service)]
print(json.dumps([one for one in [*listed, *PASSED_ROLES] if one.split(":")[1] not in known[one.split(":")[0]]]))
`);
  assert.equal(unknown, []);
});

test.run();
