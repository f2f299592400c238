import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWK, SignJWT } from "jose";
import * as assert from "uvu/assert";
import type { KeyRules } from "../../../../lib/platform/http/access.ts";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { createTokens } from "../../../../lib/platform/http/tokens.ts";
import { suite } from "../../../suite.ts";

const test = suite("tokens of an issuer of one's own");

const issuer = "https://login.example.org/";
const MINUTE = 60_000;
const KEYS = {
  rsa: { alg: "RS256", ...generateKeyPairSync("rsa", { modulusLength: 2_048 }) },
  ec: { alg: "ES256", ...generateKeyPairSync("ec", { namedCurve: "P-256" }) },
  next: { alg: "ES256", ...generateKeyPairSync("ec", { namedCurve: "P-256" }) },
} as const;
type Name = keyof typeof KEYS;

const jwkOf = async (kid: Name): Promise<JWK> => ({
  ...(await exportJWK(KEYS[kid].publicKey)),
  ...{ kid, alg: KEYS[kid].alg },
});
const jwks = async (...names: Name[]) => ({ keys: await Promise.all(names.map(jwkOf)) });

/** What the issuer publishes, and how often it was read. */
let published: object | string = {};
let reads = 0;
let server: Server;
let url = "";

// jose reads the clock itself.
const realNow = Date.now;
let ahead = 0;

test.before(async () => {
  server = createServer((_, response) => {
    reads += 1;
    response.writeHead(typeof published === "string" ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(published));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  Date.now = () => realNow() + ahead;
});
test.before.each(() => {
  [ahead, reads] = [0, 0];
});
test.after(() => {
  Date.now = realNow;
  server.close();
});

/** Returns a key whose tokens are checked by keys of the issuer, and what checks them. */
function opened(by: { jwks: object } | { jwks_url: string }) {
  const tokens = { required: true, max_age: 86_400, issuer, audience: "shop", ...by } as KeyRules["tokens"];
  const check = createTokens({ readSecret: () => Promise.reject(new Error("there is no secret")) });
  const key: KeyRules = { name: "app", endpoints: ["search"], tokens };
  return async (token: Promise<string>) => {
    try {
      await check(key, await token);
      return "accepted";
    } catch (error) {
      return `${(error as ApiError).statusCode} ${(error as ApiError).message}`;
    }
  };
}

interface Changes {
  kid?: string;
  by?: KeyObject;
  iss?: string;
  subject?: string;
}

const signed = (name: Name, { kid = name, by = KEYS[name].privateKey, iss = issuer, subject = "anna" }: Changes = {}) =>
  new SignJWT({ relevance: {} })
    .setProtectedHeader({ alg: KEYS[name].alg, kid })
    .setIssuer(iss)
    .setAudience("shop")
    .setSubject(subject)
    .setIssuedAt(Math.floor(Date.now() / 1_000))
    .setExpirationTime(Math.floor(Date.now() / 1_000) + 3_600)
    .sign(by);

const UNKNOWN = "401 The token names an unknown key id.";
const UNREAD = "503 The keys that verify tokens cannot be read.";

test("keys in the configuration and keys at an address accept and refuse the same", async () => {
  published = await jwks("rsa", "ec");
  for (const check of [opened({ jwks: await jwks("rsa", "ec") }), opened({ jwks_url: url })]) {
    assert.equal([await check(signed("rsa")), await check(signed("ec"))], ["accepted", "accepted"]);
    assert.match(await check(signed("ec", { iss: "https://other.example.org/" })), /^401 The token's iss/);
    assert.is(await check(signed("ec", { by: KEYS.next.privateKey })), "401 The token's signature is wrong.");
    assert.is(await check(signed("ec", { kid: "other" })), UNKNOWN);
    const secret = new TextEncoder().encode(JSON.stringify(await jwkOf("rsa")));
    const symmetric = new SignJWT({ relevance: {} }).setProtectedHeader({ alg: "HS256", kid: "rsa" }).sign(secret);
    assert.is(await check(symmetric), "401 The token's algorithm is not allowed.");
  }
  assert.is(reads, 1, "one reading serves all tokens, and unknown key ids do not repeat it at once");
});

test("a new key of the issuer is found, and a removed one ends its tokens within five minutes", async () => {
  published = await jwks("ec");
  const check = opened({ jwks_url: url });
  assert.is(await check(signed("ec")), "accepted");
  published = await jwks("next");
  assert.is(await check(signed("next")), UNKNOWN, "an unknown key id is looked for twice a minute at most");
  ahead = MINUTE;
  const next = signed("next");
  assert.is(await check(next), "accepted");
  published = await jwks("ec");
  assert.is(await check(next), "accepted");
  ahead = 7 * MINUTE;
  assert.is(await check(next), UNKNOWN);
  assert.is(reads, 3);
});

test("without its keys, an issuer's tokens are 503, and those that were checked stay valid for a while", async () => {
  published = await jwks("ec");
  const check = opened({ jwks_url: url });
  assert.is(await check(signed("ec")), "accepted");
  for (const broken of ["an error", {}, { keys: "none" }]) {
    published = broken;
    assert.is(await opened({ jwks_url: url })(signed("ec")), UNREAD, JSON.stringify(broken));
  }
  assert.is(await check(signed("ec", { subject: "bob" })), "accepted");
  ahead += 6 * MINUTE;
  assert.is(await check(signed("ec")), UNREAD);
  published = await jwks("ec");
  assert.is(await check(signed("ec")), "accepted", "the next token reads the keys again");
  const { port } = new URL(url);
  await new Promise((resolve) => server.close(resolve));
  assert.is(await opened({ jwks_url: `http://127.0.0.1:${port}/` })(signed("ec")), UNREAD);
});

test.run();
