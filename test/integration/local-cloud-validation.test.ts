import * as assert from "uvu/assert";
import { ownCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: validation by the services' models");
let reached = 0;
const standIn = {
  services: ["personalize"],
  handle: async () => {
    reached += 1;
    return { status: 200, body: "{}" };
  },
};
const cloud = await ownCloud({ standIns: [standIn] });
test.after(() => cloud.stop());

type Call = readonly [
  service: string,
  request: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers?: Readonly<Record<string, string>>,
];

/** Returns status and text of the answer to a request such as `POST /`, without the ids in the text. */
async function answerTo([service, request, body, headers = {}]: Call): Promise<string> {
  const [method = "", path = ""] = request.split(" ");
  const scope = `test/20000101/${cloud.region}/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  const sent = { method, headers: { authorization, ...headers }, ...(body !== "" && { body }) };
  const answer = await fetch(`${cloud.endpoint}${path}`, sent);
  return `${answer.status} ${answer.headers.get("x-amzn-errortype") ?? ""} ${await answer.text()}`;
}

const json = (target: string) => ({ "x-amz-target": target, "content-type": "application/x-amz-json-1.0" });
const form = { "content-type": "application/x-www-form-urlencoded" };
const xml = { "content-type": "application/xml" };
const put = json("DynamoDB_20120810.PutItem");
const schema = json("AmazonPersonalize.CreateSchema");
const failed = (value: string, path: string, must: string) =>
  `1 validation error detected: Value ${value} at '${path}' failed to satisfy constraint: Member must ${must}`;
const rule = (status: string, more = "") =>
  `<LifecycleConfiguration><Rule><Filter><Prefix>a</Prefix></Filter><Status>${status}</Status>${more}</Rule></LifecycleConfiguration>`;

/** Invalid requests by protocol and fault, each with what its answer contains, in order. */
const REFUSED: Readonly<Record<string, readonly [Call, ...string[]]>> = {
  "json: a required member": [
    ["dynamodb", "POST /", '{"TableName": "users"}', put],
    "400 ValidationException ",
    failed("null", "item", "not be null"),
  ],
  "json: a member that AWS would ignore": [
    ["dynamodb", "POST /", '{"TableName": "users", "Item": {}, "Iten": {}}', put],
    "400 ValidationException ",
    "AWS has no parameter Iten",
  ],
  "json: an enumeration below a list": [
    [
      "dynamodb",
      "POST /",
      '{"TableName": "users", "KeySchema": [{"AttributeName": "id", "KeyType": "MAIN"}]}',
      json("DynamoDB_20120810.CreateTable"),
    ],
    "400 ValidationException ",
    "Value 'MAIN' at 'keySchema.1.member.keyType' failed",
    "satisfy enum value set: [HASH, RANGE]",
  ],
  "json, played by a stand-in: a pattern": [
    ["personalize", "POST /", '{"name": "a b", "schema": "{}"}', schema],
    "400 ValidationException ",
    failed("'a b'", "name", "satisfy regular expression pattern: ^[a-zA-Z0-9][a-zA-Z0-9\\\\-_]*"),
  ],
  "json: a number in an attribute value, which is a text": [
    ["dynamodb", "POST /", '{"TableName": "users", "Item": {"id": {"L": [{"M": {"n": {"N": 5}}}]}}}', put],
    "400 ",
    "Item.id.L[0].M.n.N has the type int, not",
  ],
  "json: a kind of attribute value that AWS does not have": [
    ["dynamodb", "POST /", '{"TableName": "users", "Item": {"id": {"L": [{"T": "one"}]}}}', put],
    "AWS has no parameter Item.id.L[0].T",
  ],
  "json: no JSON": [["dynamodb", "POST /", "{", put], "400 SerializationException "],
  "rest-json: a maximum": [
    ["lambda", "POST /2015-03-31/functions/etl/versions", `{"Description": "${"a".repeat(257)}"}`],
    "400 ValidationException ",
    "'description' failed to satisfy constraint: Member must have length less than or equal to 256",
  ],
  "rest-json: a range in the address": [
    ["lambda", "GET /2015-03-31/functions/?MaxItems=0", ""],
    "400 ValidationException ",
    "'maxItems' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ],
  "rest-json, played by a stand-in: a length": [
    ["personalize", "POST /recommendations", `{"userId": "${"u".repeat(257)}"}`],
    "400 ValidationException ",
    "'userId' failed to satisfy constraint: Member must have length less than or equal to 256",
  ],
  "rest-xml: an enumeration": [
    ["s3", "PUT /bucket?lifecycle", rule("On"), xml],
    "400 ",
    "<Code>InvalidArgument</Code>",
    "Value 'On' at 'lifecycleConfiguration.rules.1.member.status' failed to satisfy constraint: Member must satisfy enum value set: [Enabled, Disabled]",
  ],
  "rest-xml: an element that AWS does not have": [
    ["s3", "PUT /bucket?lifecycle", rule("Enabled", "<Expiry>1</Expiry>"), xml],
    "AWS has no parameter Rule.Expiry",
  ],
  "query: a pattern": [
    ["iam", "POST /", "Action=CreateRole&Version=2010-05-08&RoleName=a+b&AssumeRolePolicyDocument=%7B%7D", form],
    "400 ",
    "<Code>ValidationError</Code>",
    "Value 'a b' at 'roleName' failed to satisfy constraint: Member must satisfy regular expression pattern",
  ],
  "query: a parameter that AWS would ignore": [
    ["iam", "POST /", "Action=GetRole&Version=2010-05-08&RoleName=one&Role=two", form],
    "AWS has no parameter Role,",
  ],
  "ec2: a required parameter": [
    ["ec2", "POST /", "Action=CreateSecurityGroup&Version=2016-11-15&GroupName=one", form],
    "400 ",
    "<Code>MissingParameter</Code>",
    "at 'description' failed",
  ],
  "ec2: an unknown parameter": [
    ["ec2", "POST /", "Action=DescribeVpcs&Version=2016-11-15&VpcIds.1=vpc-1", form],
    "<Code>UnknownParameter</Code>",
    "VpcIds.1",
  ],
  "cbor: a required member": [
    [
      "monitoring",
      "POST /service/GraniteServiceVersion20100801/operation/GetMetricData",
      // An empty map.
      new Uint8Array([0xa0]),
      { "content-type": "application/cbor", "smithy-protocol": "rpc-v2-cbor" },
    ],
    "400 ",
  ],
};

for (const [what, [call, ...expected]] of Object.entries(REFUSED)) {
  test(`rejects with AWS's message, ${what}`, async () => {
    reached = 0;
    const answer = await answerTo(call);
    for (const part of expected) assert.match(answer, part, answer);
    assert.is(reached, 0, "the service is not called");
  });
}

const ACCEPTED: readonly Call[] = [
  ["personalize", "POST /", '{"name": "a-b", "schema": "{}", "domain": null}', schema],
  // Two protocols of one service.
  ["monitoring", "POST /", "Action=DescribeAlarms&Version=2010-08-01&AlarmNames.member.1=one", form],
  ["monitoring", "POST /", '{"AlarmNames": ["one"]}', json("GraniteServiceVersion20100801.DescribeAlarms")],
  ["ec2", "POST /", "Action=DescribeVpcs&Version=2016-11-15&Filter.1.Name=vpc-id&Filter.1.Value.1=vpc-1", form],
  ["s3", "GET /?x-id=ListBuckets", ""],
];

for (const call of ACCEPTED) {
  test(`accepts ${call[0]} ${call[1]} ${call[2]}`, async () => {
    assert.match(await answerTo(call), /^200 /);
  });
}

test.run();
