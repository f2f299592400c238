// Callers identified by API Gateway's API key, IAM or an authorizer, and what an unknown caller is told.
import * as assert from "uvu/assert";
import {
  type AccessSettings,
  createAccess,
  describeKey,
  iamPrincipal,
  type KeyRules,
  OPEN,
} from "../../../../lib/platform/http/access.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import type { ProxyEvent } from "../../../../lib/platform/http/event.ts";
import { createRouter } from "../../../../lib/platform/http/router.ts";
import { suite } from "../../../suite.ts";
import { api, call, logged, replying } from "./calls.ts";

const test = suite("callers of the APIs");

const rules = (name: string, ...principals: string[]): KeyRules => ({ name, endpoints: ["search"], principals });

/** Returns the name of the rules that apply to a caller, or the message that the caller receives. */
function applied(settings: AccessSettings, requestContext: object, keyIds?: string): string {
  try {
    return (createAccess(settings, keyIds).callerOf({ requestContext } as ProxyEvent) as KeyRules).name;
  } catch (error) {
    assert.instance(error, ApiError);
    assert.is((error as ApiError).code, "forbidden");
    return (error as ApiError).message;
  }
}

test("a key is described by its endpoints and indexes, in words", () => {
  const of = (indexes?: string[]) =>
    describeKey({ name: "k", endpoints: ["search", "bulk", "administration"], ...(indexes && { indexes }) });
  assert.is(of(), "search, bulk and administration");
  assert.is(of(["shop-*"]), "search, bulk and administration on shop-*");
  assert.is(of(["a", "b"]), "search, bulk and administration on a and b");
});

test("an API key is identified by its id, whatever else the event says about the caller", () => {
  const keys = [rules("shop", "arn:aws:iam::123456789012:role/x"), rules("loader")];
  const named = (identity: object) =>
    applied({ keys }, { identity, authorizer: { principalId: "shop" } }, "a=shop,b=loader,c=shop");
  assert.equal(
    [named({ apiKeyId: "a" }), named({ apiKeyId: "b" }), named({ apiKeyId: "c" })],
    ["shop", "loader", "shop"],
  );
  assert.match(named({ apiKeyId: "d", userArn: "arn:aws:iam::123456789012:role/x" }), "No key of the configuration");
  assert.match(named({ apiKeyId: "" }), "No key of the configuration");
});

const ACCOUNT = "123456789012";
const iam: AccessSettings = {
  authorization: "iam",
  keys: [
    rules("shop", `arn:aws:iam::${ACCOUNT}:role/teams/web/shop-page`, `arn:aws:iam::${ACCOUNT}:user/staff/ada`),
    rules("partner", "arn:aws:iam::210987654321:role/shop-page"),
  ],
};
const byArn = (userArn: string | null, more: object = {}) => applied(iam, { identity: { userArn, ...more } });

test("a role is identified by account and name, whatever its path and session, and a user by account and name", () => {
  assert.is(byArn(`arn:aws:sts::${ACCOUNT}:assumed-role/shop-page/i-0a1b2c3d`), "shop");
  assert.is(byArn(`arn:aws:sts::${ACCOUNT}:assumed-role/shop-page/ada@example.org`), "shop");
  assert.is(byArn("arn:aws:sts::210987654321:assumed-role/shop-page/x"), "partner");
  assert.is(byArn(`arn:aws:iam::${ACCOUNT}:user/staff/ada`), "shop");
});

for (const [what, arn] of [
  ["a role of that name in another account", "arn:aws:sts::999999999999:assumed-role/shop-page/x"],
  ["a user named as the role", `arn:aws:iam::${ACCOUNT}:user/shop-page`],
  ["a role named as the user", `arn:aws:sts::${ACCOUNT}:assumed-role/ada/x`],
  ["a session named as the role", `arn:aws:sts::${ACCOUNT}:assumed-role/other/shop-page`],
  ["a role whose name starts with the role's", `arn:aws:sts::${ACCOUNT}:assumed-role/shop-page-2/x`],
  ["a federated user", `arn:aws:sts::${ACCOUNT}:federated-user/shop-page`],
  ["the root user", `arn:aws:iam::${ACCOUNT}:root`],
  ["no ARN", "shop-page"],
] as const) {
  test(`no rules apply to ${what}`, () => {
    assert.match(byArn(arn), /no entry of `keys` in api\.yaml lists it in `principals`/);
  });
}

test("a caller without a known IAM principal has no rules, whatever its API key and authorizer say", () => {
  assert.match(byArn(null, { apiKeyId: "shop", caller: "shop" }), "neither a role nor a user of IAM");
  const message = byArn(`arn:aws:sts::${ACCOUNT}:assumed-role/unknown/session-of-ada`);
  assert.match(message, `The caller is the role unknown of account ${ACCOUNT}: no entry`);
  assert.not.match(message, /arn:|session-of-ada/);
});

test("a principal of an authorizer is identified exactly as written", () => {
  const lambda: AccessSettings = {
    authorization: "lambda",
    keys: [rules("shop", "browsers", "apps"), rules("loader", "Jobs")],
  };
  const named = (authorizer: unknown) => applied(lambda, { identity: { apiKeyId: "browsers" }, authorizer });
  assert.equal([named({ principalId: "apps" }), named({ principalId: "Jobs" })], ["shop", "loader"]);
  assert.match(named({ principalId: "jobs" }), 'named the caller "jobs": no entry of `keys`');
  for (const without of [null, undefined, {}, { principalId: 1 }, { principalId: ["apps"] }]) {
    assert.match(named(without), "returned no principalId");
  }
});

test("without keys every authorized caller may do everything", () => {
  for (const authorization of ["api_key", "iam", "lambda"] as const) {
    assert.is(createAccess({ authorization }), OPEN);
  }
});

test("only roles and users have a principal", () => {
  assert.is(iamPrincipal("arn:aws-cn:iam::123456789012:role/a/b/c"), "role c of account 123456789012");
  for (const arn of [
    "",
    "arn:aws:iam::123456789012:group/a",
    "arn:aws:iam::1:role/a",
    "arn:aws:iam::123456789012:role/",
    "x",
  ]) {
    assert.is(iamPrincipal(arn), undefined, arn);
  }
});

test("a router answers 403 to a caller without rules and to one whose rules lack the endpoint, and counts both by name", async () => {
  const routes = [{ methods: ["POST"], path: "/x", family: "f", access: ["bulk"] }] as const;
  const router = createRouter({
    api: { ...api, access: createAccess(iam) },
    routes,
    load: async () => ({ "/x": replying({ status: 200, body: "{}" }) }),
  });
  const answer = async (userArn: string) => {
    const { statusCode, body } = await call(router, { requestContext: { requestId: "r", identity: { userArn } } });
    return [statusCode, JSON.parse(body).error.message];
  };
  logged.length = 0;
  const [unknown, limited] = [
    await answer(`arn:aws:sts::${ACCOUNT}:assumed-role/unknown/x`),
    await answer(`arn:aws:sts::${ACCOUNT}:assumed-role/shop-page/x`),
  ];
  assert.is(unknown[0], 403);
  assert.match(unknown[1], "the role unknown of account");
  assert.equal(limited, [
    403,
    'The rule "endpoint" refuses this call of the key shop: it may not use bulk. The key may use search.',
  ]);
  assert.equal(
    logged.map((line) => JSON.parse(line).Key),
    ["unknown", "shop"],
  );
});

test.run();
