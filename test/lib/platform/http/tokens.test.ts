import { type JWTPayload, SignJWT } from "jose";
import * as assert from "uvu/assert";
import { createAccess, type KeyRules } from "../../../../lib/platform/http/access.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import type { ProxyEvent } from "../../../../lib/platform/http/event.ts";
import { tokenChecks } from "../../../../lib/platform/http/open-tokens.ts";
import { withOwnUser } from "../../../../lib/platform/http/own-user.ts";
import type { TokenSettings } from "../../../../lib/platform/http/token.ts";
import { createTokens } from "../../../../lib/platform/http/tokens.ts";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { suite } from "../../../suite.ts";

const test = suite("tokens that narrow a key");

const SECRET = "a-signing-secret-of-at-least-32-characters";
const OTHER = "another-signing-secret-of-32-characters-or-more";
const tokens: TokenSettings = { required: true, max_age: 86_400, secret_name: "shop" };
const page: KeyRules = {
  ...{ name: "page", endpoints: ["search", "suggest", "raw-backend", "recommend", "events", "ingest"], tokens },
  ...{ indexes: ["products", "news-*"], templates: ["page", "list"], placements: ["home"], scripts: true },
};
const NOW = 1_800_000_000_000;
let stored = { key: "page", current: "2", secrets: { 1: OTHER, 2: SECRET } as Record<string, string> };
let now = NOW;
let reads = 0;
const open = () =>
  createTokens({
    now: () => now,
    readSecret: async () => {
      reads += 1;
      return JSON.stringify(stored);
    },
  });
const check = open();

interface Made {
  claim?: unknown;
  payload?: Record<string, unknown>;
  kid?: string;
  secret?: string;
}

const seconds = NOW / 1_000;
const signed = ({ claim = {}, payload, kid = "2", secret = SECRET }: Made = {}) =>
  new SignJWT({ aud: "page", iat: seconds, exp: seconds + 600, relevance: claim, ...payload } as JWTPayload)
    .setProtectedHeader({ alg: "HS256", kid })
    .sign(new TextEncoder().encode(secret));

async function refused(token: string | undefined, key = page, by = check): Promise<string> {
  try {
    await by(key, token);
  } catch (error) {
    assert.instance(error, ApiError);
    return `${(error as ApiError).statusCode} ${(error as ApiError).message}`;
  }
  return "accepted";
}

test.before.each(() => {
  now = NOW;
});

test("each reason of refusal has its status, and says nothing of other keys", async () => {
  const made: Array<[Made, RegExp]> = [
    [{}, /^accepted$/],
    [{ kid: "1", secret: OTHER }, /^accepted$/],
    [{ payload: { exp: seconds - 10 } }, /^401 The token has expired/],
    [{ payload: { nbf: seconds + 60 } }, /^401 The token is not valid yet/],
    [{ payload: { iat: seconds + 60 } }, /^401 The token is not valid yet/],
    [{ secret: OTHER }, /^401 The token's signature is wrong/],
    [{ kid: "3" }, /^401 The token names an unknown key id/],
    [{ kid: "__proto__" }, /^401 The token names an unknown key id/],
    [{ payload: { aud: "loader" } }, /^401 The token's aud is not that of the key/],
    [{ payload: { exp: undefined } }, /^401 The token has no claim exp/],
    [{ payload: { iat: undefined } }, /^401 The token has no claim iat/],
    [{ payload: { exp: seconds + 90_000 } }, /^403 .*valid for more than 86400 seconds/],
    [{ payload: { relevance: undefined } }, /^403 .*no claim `relevance`/],
    [{ claim: { filters: {} } }, /^403 .*claim relevance.filters is malformed/],
    [{ claim: { filter: {} } }, /^403 .*claim relevance.filter is malformed/],
    [{ claim: { filter: [] } }, /^403 .*malformed/],
    [{ claim: { filter: [{}] } }, /^403 .*malformed/],
    [{ claim: { indexes: [] } }, /^403 .*malformed/],
    [{ claim: { indexes: ["products*"] } }, /^403 .*has not "products\*" in indexes/],
    [{ claim: { indexes: ["news-1", "other"] } }, /^403 .*has not "other" in indexes/],
    [{ claim: { indexes: [".kibana"] } }, /^403 .*malformed/],
    [{ claim: { templates: ["admin"] } }, /^403 .*has not "admin" in templates/],
    [{ claim: { placements: ["basket"] } }, /^403 .*has not "basket" in placements/],
  ];
  for (const [one, message] of made) assert.match(await refused(await signed(one)), message, JSON.stringify(one));
  assert.match(await refused(undefined), /^401 The key needs a token/);
  for (const text of ["", "a", "a.b.c", `${"a".repeat(9_000)}`]) assert.match(await refused(text), /^401 /);
});

test("a token leaves what it names of the key's rights", async () => {
  const filter = { tenant: "a", "brand.id": ["x", 7], range: { price: { lt: 9 } } };
  const claim = { filter, indexes: ["news-7"], templates: ["list"], placements: [], user_id: "u", segments: ["b2b"] };
  const rules = await check({ ...page, raw_backend: "all" }, await signed({ claim, payload: { sub: "anna" } }));
  const { endpoints, indexes, templates, placements, scripts, raw_backend, token } = rules;
  assert.equal(
    { indexes, templates, placements, scripts, raw_backend },
    {
      ...{ indexes: ["news-7"], templates: ["list"], placements: [], scripts: false, raw_backend: undefined },
    },
  );
  assert.equal(
    endpoints,
    ["search", "suggest", "events"],
    "a filter reaches neither the raw backend nor recommendations",
  );
  const filters = [{ term: { tenant: "a" } }, { terms: { "brand.id": ["x", 7] } }, { range: { price: { lt: 9 } } }];
  assert.equal(token, { subject: "anna", filters, user_id: "u", segments: ["b2b"], ownBodies: false });
  const recommend = { filter_name: "own", filter_value_dict: { TENANT: "a" } };
  const other = await check(page, await signed({ claim: { filter: { tenant: "a" }, recommend } }));
  assert.ok(other.endpoints.includes("recommend"));
});

test("numbers of a filter stay as they were written", async () => {
  const [header, ,] = (await signed()).split(".");
  const text = `{"aud":"page","iat":${seconds},"exp":${seconds + 9},"relevance":{"filter":{"tenant":9007199254740993}}}`;
  const { createHmac } = await import("node:crypto");
  const content = `${header}.${Buffer.from(text).toString("base64url")}`;
  const rules = await check(page, `${content}.${createHmac("sha256", SECRET).update(content).digest("base64url")}`);
  assert.is(JSON.stringify(rules.token?.filters), '[{"term":{"tenant":9007199254740993}}]');
});

test("20,000 forged, cut, swapped and widened tokens are refused", async () => {
  const random = seeded(57);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const claims = [{ filter: { tenant: "a" } }, { indexes: ["news-1"] }, { templates: ["list"], user_id: "u" }];
  const good = await Promise.all(claims.map((claim) => signed({ claim })));
  const foreign = await Promise.all([
    signed({ secret: OTHER }),
    signed({ kid: "1" }),
    signed({ payload: { aud: "x" } }),
  ]);
  const wide = await Promise.all(["a*", "new*", "products-2"].map((name) => signed({ claim: { indexes: [name] } })));
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const flipped = (text: string) => {
    const at = Math.floor(random() * (text.length - 1));
    // The last character of a part may have bits that count for nothing.
    if (text[at] === "." || text[at + 1] === ".") return `x${text}`;
    return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
  };
  const forge: Array<() => string> = [
    () => flipped(pick(good)),
    () =>
      pick(good)
        .slice(0, Math.floor(random() * (pick(good).length - 2)))
        .slice(0, -2),
    () => {
      const [a, b] = [pick(good), pick([...good, ...foreign])].map((one) => one.split("."));
      return a === b || a?.[1] === b?.[1] ? "a.b.c" : `${a?.[0]}.${b?.[1]}.${a?.[2]}`;
    },
    () =>
      `${base64({ alg: pick(["none", "HS384", "RS256", "hs256"]), kid: "2" })}.${pick(good).split(".").slice(1).join(".")}`,
    () => `${base64({ alg: "none" })}.${pick(good).split(".")[1]}.`,
    () =>
      `${pick(good).split(".")[0]}.${base64({ aud: "page", iat: seconds, exp: seconds + 9, relevance: {} })}.${pick(good).split(".")[2]}`,
    () => pick(foreign),
    () => pick(wide),
  ];
  let accepted = 0;
  for (let made = 0; made < 20_000; made += 1) {
    if ((await refused(forge[made % forge.length]?.())) === "accepted") accepted += 1;
  }
  assert.is(accepted, 0);
});

test("a checked token is kept until it expires, and a removed key id ends it within five minutes", async () => {
  const own = open();
  const token = await signed({ payload: { exp: seconds + 86_400 } });
  reads = 0;
  assert.is(await own(page, token), await own(page, token));
  assert.is(reads, 1);
  stored = { ...stored, current: "4", secrets: { 4: OTHER } };
  now = NOW + 300_001;
  assert.match(await refused(token, page, own), /unknown key id/);
  assert.is(reads, 2);
  stored = { key: "page", current: "2", secrets: { 1: OTHER, 2: SECRET } };
  now += 10_001;
  await own(page, token);
  assert.is(reads, 3, "an unknown key id has the secret read again");
  now = NOW + 86_406_000;
  assert.match(await refused(token, page, own), /expired/);
});

test("a key without required tokens has its own rights without one, and a key without tokens ignores it", async () => {
  const keys = [
    { ...page, name: "server", tokens: { ...tokens, required: false } },
    { ...page, name: "old", tokens: undefined },
  ];
  const { callerOf } = createAccess(
    { keys },
    "1=server,2=old",
    tokenChecks(async () => JSON.stringify(stored)),
  );
  const by = (apiKeyId: string, headers = {}) =>
    callerOf({ headers, requestContext: { identity: { apiKeyId } } } as unknown as ProxyEvent);
  assert.is(await by("1"), keys[0]);
  assert.is(await by("2", { Authorization: "Bearer a.b.c" }), keys[1]);
  const wrong = await Promise.resolve(by("1", { AUTHORIZATION: "bearer a.b.c" })).catch(String);
  assert.match(String(wrong), /not a signed token/);
});

test("the user and the segments of a request are those of its token", () => {
  const caller = { ...page, token: { subject: null, ownBodies: false, user_id: "u", segments: ["a"] } };
  const own = { user_id: "u", segments: ["a"] };
  const same: Array<[unknown, unknown]> = [
    [
      { user_id: null, size: 1 },
      { size: 1, ...own },
    ],
    [{ searches: [{}, own] }, { searches: [own, own] }],
    [{ events: [{ USER_ID: "u" }, {}] }, { events: [{ USER_ID: "u" }, {}] }],
  ];
  for (const [body, expected] of same) assert.equal(withOwnUser(caller, body), expected);
  const others = [{ user_id: "v" }, { segments: [] }, { searches: [{ user_id: "v" }] }, { events: [{ user_id: "v" }] }];
  for (const body of others) assert.throws(() => withOwnUser(caller, body), /its token has another/);
});

test.run();
