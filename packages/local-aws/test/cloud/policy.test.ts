// Compares the evaluation of policies with AWS's documentation: IAM User Guide, "Policy evaluation logic", "IAM JSON
// policy elements: Condition operators", "Multivalued context keys", "IAM policy elements: Variables and tags".
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { ROOT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";

const test = suite("policies are evaluated as AWS documents");

const ACCOUNT = "123456789012";
const ROOT_USER = `arn:aws:iam::${ACCOUNT}:root`;
const USER = { arn: `arn:aws:iam::${ACCOUNT}:user/ann`, account: ACCOUNT };
const ROLE = `arn:aws:iam::${ACCOUNT}:role/etl`;
const SESSION = { arn: `arn:aws:sts::${ACCOUNT}:assumed-role/etl/run`, account: ACCOUNT, role_arn: ROLE };
const SERVICE = { arn: "", account: ACCOUNT, service: "logs.amazonaws.com" };
const OBJECT = "arn:aws:s3:::data/etl/one.csv";

type Element = Readonly<Record<string, unknown>>;
interface Case {
  principal?: Element;
  action?: string;
  resource?: string;
  context?: Readonly<Record<string, readonly string[]>>;
  identity?: readonly (readonly Element[])[];
  boundary?: readonly Element[];
  resourcePolicy?: readonly Element[];
  resourceDecides?: boolean;
}

const RUN = `
import json, sys
from guarded_moto.policy import Policies, Principal, UnsupportedPolicy, decide
def answer(case):
    document = lambda statements: statements and json.dumps({"Version": "2012-10-17", "Statement": statements})
    policies = Policies(tuple(document(one) for one in case.get("identity", [])), document(case.get("boundary")),
                        document(case.get("resourcePolicy")), case.get("resourceDecides", False))
    context = {key: tuple(values) for key, values in case.get("context", {}).items()}
    try:
        decision = decide(Principal(**case["principal"]), case["action"], case["resource"], context, policies)
        return "allowed" if decision.allowed else decision.reason
    except UnsupportedPolicy as error:
        return f"error: {error}"
print(json.dumps([answer(case) for case in json.load(sys.stdin)]))
`;

/** Returns the evaluator's result for each case: `allowed`, the reason of a denial, or `error: …`. */
function answers(cases: readonly Case[]): string[] {
  const input = cases.map((one) => ({ principal: USER, action: "s3:GetObject", resource: OBJECT, ...one }));
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: join(ROOT, "packages/local-aws"),
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return JSON.parse(execFileSync("python3", ["-c", RUN], { input: JSON.stringify(input), env, encoding: "utf8" }));
}

const tables: [name: string, table: Readonly<Record<string, readonly [Case, string]>>][] = [];

function holds(...table: (typeof tables)[number]) {
  tables.push(table);
}

const ALLOWED = "allowed";
const NO_IDENTITY = "because no identity-based policy allows the s3:GetObject action";
const allow = (more: Element = {}): Element => ({ Effect: "Allow", Action: "s3:GetObject", Resource: "*", ...more });
const deny = (more: Element = {}): Element => allow({ Effect: "Deny", ...more });
const given = (...statements: Element[]): Case => ({ identity: [statements] });
const to = (Principal: unknown, more: Element = {}) => allow({ Principal, ...more });

holds("a call needs an allow, and any deny wins", {
  "no policy": [{}, NO_IDENTITY],
  "an allow": [given(allow()), ALLOWED],
  "an allow in the second policy": [{ identity: [[allow({ Action: "sqs:SendMessage" })], [allow()]] }, ALLOWED],
  "an allow and a deny": [given(allow(), deny()), "with an explicit deny in an identity-based policy"],
  "an allow of a role's session": [{ ...given(allow()), principal: SESSION }, ALLOWED],
});

const BOUNDARY = "because no permissions boundary allows the s3:GetObject action";
holds("a permissions boundary limits what identity policies grant, and grants nothing", {
  "allowed by both": [{ ...given(allow()), boundary: [allow()] }, ALLOWED],
  "allowed by the boundary alone": [{ boundary: [allow()] }, NO_IDENTITY],
  "not in the boundary": [{ ...given(allow()), boundary: [allow({ Action: "s3:ListBucket" })] }, BOUNDARY],
  "denied by the boundary": [
    { ...given(allow()), boundary: [allow(), deny()] },
    "with an explicit deny in a permissions boundary",
  ],
  "a user named by the resource is not limited": [
    { resourcePolicy: [to({ AWS: USER.arn })], boundary: [allow({ Action: "s3:ListBucket" })] },
    ALLOWED,
  ],
  "a role named by the resource is limited": [
    { principal: SESSION, resourcePolicy: [to({ AWS: ROLE })], boundary: [allow({ Action: "s3:ListBucket" })] },
    BOUNDARY,
  ],
});

const NO_RESOURCE = "because no resource-based policy allows the s3:GetObject action";
holds("a resource's policy grants access to the principals that it names", {
  "the user": [{ resourcePolicy: [to({ AWS: [ROLE, USER.arn] })] }, ALLOWED],
  "the role of a session": [{ principal: SESSION, resourcePolicy: [to({ AWS: ROLE })] }, ALLOWED],
  everyone: [{ resourcePolicy: [to("*")] }, ALLOWED],
  "another user": [{ resourcePolicy: [to({ AWS: `${USER.arn}a` })] }, NO_IDENTITY],
  "the account, which only delegates": [{ resourcePolicy: [to({ AWS: ROOT_USER })] }, NO_IDENTITY],
  "a denied user": [
    { ...given(allow()), resourcePolicy: [deny({ Principal: "*" })] },
    "with an explicit deny in a resource-based policy",
  ],
  "everyone but the user is denied": [
    { ...given(allow()), resourcePolicy: [deny({ NotPrincipal: { AWS: USER.arn } })] },
    ALLOWED,
  ],
  "a service": [{ principal: SERVICE, resourcePolicy: [to({ Service: SERVICE.service })] }, ALLOWED],
  "another service": [{ principal: SERVICE, resourcePolicy: [to({ Service: "sns.amazonaws.com" })] }, NO_RESOURCE],
  "no identity policy helps a service": [{ ...given(allow()), principal: SERVICE }, NO_RESOURCE],
});

holds("keys and roles must name the caller or its account", {
  "the key says nothing": [{ ...given(allow()), resourceDecides: true }, NO_RESOURCE],
  "the key names the account": [
    { ...given(allow()), resourceDecides: true, resourcePolicy: [to({ AWS: ROOT_USER })] },
    ALLOWED,
  ],
  "the key names the account, identity policies say nothing": [
    { resourceDecides: true, resourcePolicy: [to({ AWS: ACCOUNT })] },
    NO_IDENTITY,
  ],
});

holds("actions", {
  wildcard: [given(allow({ Action: "s3:Get*" })), ALLOWED],
  "one character": [given(allow({ Action: "s3:Get?bject" })), ALLOWED],
  "in another case": [given(allow({ Action: "S3:getobject" })), ALLOWED],
  "a prefix is no match": [given(allow({ Action: "s3:Get" })), NO_IDENTITY],
  "the dot of a pattern is a dot": [given(allow({ Action: "s3.GetObject" })), NO_IDENTITY],
  list: [given(allow({ Action: ["s3:PutObject", "s3:GetObject"] })), ALLOWED],
  all: [given(allow({ Action: "*" })), ALLOWED],
  "NotAction with another": [given({ Effect: "Allow", NotAction: "iam:*", Resource: "*" }), ALLOWED],
  "NotAction with this": [given({ Effect: "Allow", NotAction: ["s3:*"], Resource: "*" }), NO_IDENTITY],
});

const QUEUE = "arn:aws:sqs:eu-west-1:123456789012:orders";
holds("resources", {
  "in a folder": [given(allow({ Resource: "arn:aws:s3:::data/etl/*" })), ALLOWED],
  "in another folder": [given(allow({ Resource: "arn:aws:s3:::data/events/*" })), NO_IDENTITY],
  "the bucket is not its objects": [given(allow({ Resource: "arn:aws:s3:::data" })), NO_IDENTITY],
  "case matters": [given(allow({ Resource: "arn:aws:s3:::Data/*" })), NO_IDENTITY],
  "a wildcard does not span colons": [
    { ...given(allow({ Resource: "arn:aws:*:orders" })), resource: QUEUE },
    NO_IDENTITY,
  ],
  "a wildcard in place of a region": [
    { ...given(allow({ Resource: "arn:aws:sqs:*:123456789012:orders" })), resource: QUEUE },
    ALLOWED,
  ],
  "missing parts match all": [{ ...given(allow({ Resource: "arn:aws:sqs" })), resource: QUEUE }, ALLOWED],
  "a call without a resource needs *": [
    { ...given(allow({ Resource: "arn:aws:s3:::*" })), resource: "*" },
    NO_IDENTITY,
  ],
  "NotResource with another": [given({ Effect: "Allow", Action: "*", NotResource: "arn:aws:s3:::logs/*" }), ALLOWED],
  "NotResource with this": [given({ Effect: "Allow", Action: "*", NotResource: "arn:aws:s3:::data/*" }), NO_IDENTITY],
});

// Built from parts so that it does not look like a template literal.
const variable = (name: string) => `\${${name}}`;
const home = (text: string) => given(allow({ Resource: `arn:aws:s3:::data/${text}/*` }));
const context = { "aws:username": ["etl"] };
holds("variables", {
  "with the value": [{ ...home(variable("aws:username")), context }, ALLOWED],
  "in another case": [{ ...home(variable("AWS:UserName")), context }, ALLOWED],
  "without a value": [home(variable("aws:username")), NO_IDENTITY],
  "with a default": [home(variable("aws:username, 'etl'")), ALLOWED],
  "a wildcard in a value is literal": [
    { ...home(variable("aws:username")), context: { "aws:username": ["e*"] } },
    NO_IDENTITY,
  ],
  "an escaped wildcard is literal": [home(variable("*")), NO_IDENTITY],
  "in a condition": [
    {
      ...when({ StringLike: { "s3:prefix": `${variable("aws:username")}/*` } }),
      context: { ...context, "s3:prefix": ["etl/a"] },
    },
    ALLOWED,
  ],
});

function when(Condition: Element): Case {
  return given(allow({ Condition }));
}

const KEY = "kms:ResourceAliases";
const aliases = (operator: string, values: readonly string[], wanted: unknown = ["alias/a", "alias/b"]): Case => ({
  ...when({ [operator]: { [KEY]: wanted } }),
  ...(values.length > 0 && { context: { "kms:resourcealiases": values } }),
});
holds("condition operators", {
  StringEquals: [aliases("StringEquals", ["alias/b"]), ALLOWED],
  "StringEquals in another case": [aliases("StringEquals", ["alias/B"]), NO_IDENTITY],
  "StringEquals with a wildcard": [aliases("StringEquals", ["alias/a"], "alias/*"), NO_IDENTITY],
  "StringEquals without the key": [aliases("StringEquals", []), NO_IDENTITY],
  "StringEqualsIfExists without the key": [aliases("StringEqualsIfExists", []), ALLOWED],
  StringEqualsIgnoreCase: [aliases("StringEqualsIgnoreCase", ["ALIAS/b"]), ALLOWED],
  StringNotEquals: [aliases("StringNotEquals", ["alias/c"]), ALLOWED],
  "StringNotEquals with one of the values": [aliases("StringNotEquals", ["alias/b"]), NO_IDENTITY],
  "StringNotEquals without the key": [aliases("StringNotEquals", []), ALLOWED],
  StringLike: [aliases("StringLike", ["alias/a"], "alias/?"), ALLOWED],
  StringNotLike: [aliases("StringNotLike", ["alias/a"], "alias/*"), NO_IDENTITY],
  "ForAnyValue with one": [aliases("ForAnyValue:StringEquals", ["alias/c", "alias/a"]), ALLOWED],
  "ForAnyValue with none": [aliases("ForAnyValue:StringEquals", ["alias/c"]), NO_IDENTITY],
  "ForAnyValue without the key": [aliases("ForAnyValue:StringEquals", []), NO_IDENTITY],
  "ForAllValues with all": [aliases("ForAllValues:StringEquals", ["alias/b", "alias/a"]), ALLOWED],
  "ForAllValues with another": [aliases("ForAllValues:StringEquals", ["alias/c", "alias/a"]), NO_IDENTITY],
  "ForAllValues without the key": [aliases("ForAllValues:StringEquals", []), ALLOWED],
  ArnLike: [{ ...when({ ArnLike: { "aws:SourceArn": "arn:aws:sqs:*:*:ord*" } }), context: sent(QUEUE) }, ALLOWED],
  "ArnLike spans no colon": [
    { ...when({ ArnLike: { "aws:SourceArn": "arn:aws:*:orders" } }), context: sent(QUEUE) },
    NO_IDENTITY,
  ],
  "ArnEquals takes wildcards too": [
    { ...when({ ArnEquals: { "aws:SourceArn": `${QUEUE}*` } }), context: sent(QUEUE) },
    ALLOWED,
  ],
  Bool: [
    { ...when({ Bool: { "aws:SecureTransport": false } }), context: { "aws:securetransport": ["true"] } },
    NO_IDENTITY,
  ],
  "Null for an absent key": [when({ Null: { [KEY]: "true" } }), ALLOWED],
  "Null for a present key": [aliases("Null", ["alias/a"], "true"), NO_IDENTITY],
  "all operators must hold": [
    {
      ...when({ StringEquals: { "aws:username": "ann" }, ArnLike: { "aws:SourceArn": "arn:aws:sqs" } }),
      context: { "aws:username": ["ann"] },
    },
    NO_IDENTITY,
  ],
});

function sent(arn: string) {
  return { "aws:sourcearn": [arn] };
}

holds("a policy that cannot be evaluated is an error", {
  operator: [
    when({ NumericLessThan: { "s3:max-keys": "10" } }),
    "error: the local cloud cannot evaluate the condition operator NumericLessThan",
  ],
  quantifier: [
    when({ "ForEach:StringEquals": { a: "b" } }),
    "error: the local cloud cannot evaluate the condition operator ForEach:StringEquals",
  ],
  element: [
    given(allow({ Conditions: {} })),
    'error: not a statement of a policy: {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Conditions": {}}',
  ],
});

// One Python process evaluates all tables.
const found = answers(tables.flatMap(([, table]) => Object.values(table).map(([one]) => one)));
for (const [name, table] of tables) {
  const ofTable = found.splice(0, Object.keys(table).length);
  test(name, () => {
    assert.equal(
      Object.fromEntries(Object.keys(table).map((label, index) => [label, ofTable[index]])),
      Object.fromEntries(Object.entries(table).map(([label, [, expected]]) => [label, expected])),
    );
  });
}

test.run();
