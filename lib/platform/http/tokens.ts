import { createSecretKey, type KeyObject } from "node:crypto";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import * as v from "valibot";
import { isObject, parseLossless } from "../json/values.ts";
import { type CheckToken, forbidden, type KeyRules } from "./access.ts";
import { ApiError } from "./error.ts";
import type { TokenSettings } from "./token.ts";
import { narrowedBy } from "./token-rights.ts";

/** Signing secrets of a key in Secrets Manager: by key id, with the one to sign with. Two while they are rotated. */
export const SigningSecrets = v.strictObject({
  key: v.string(),
  current: v.string(),
  secrets: v.record(v.string(), v.pipe(v.string(), v.minLength(32))),
});
export type SigningSecrets = v.InferOutput<typeof SigningSecrets>;

/** The longest token, in characters. API Gateway takes 10,240 bytes of headers. */
const MAX_LENGTH = 8_192;

/** Seconds by which clocks may differ. */
const TOLERANCE_S = 5;

/** How long secrets and checked tokens are used before they are read and checked again; how soon for an unknown key id. */
const SECRETS_MS = 300_000;
const UNKNOWN_ID_MS = 10_000;

/** The most checked tokens that one instance keeps: each takes about 2 kB. */
const MAX_KEPT = 2_000;

export interface TokenOptions {
  /** Reads the text of a secret by its name. */
  readSecret: (name: string) => Promise<string>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** Returns a check of tokens that keeps the checked ones until they expire, at most {@link SECRETS_MS}. */
export function createTokens({ readSecret, now = Date.now }: TokenOptions): CheckToken {
  const kept = new Map<string, { rules: KeyRules; until: number }>();
  const keysOf = new Map<TokenSettings, JWTVerifyGetKey>();
  const keyOf = (key: KeyRules, settings: TokenSettings) => {
    const found = keysOf.get(settings) ?? signingKeys(key, settings, { readSecret, now });
    keysOf.set(settings, found);
    return found;
  };
  return async (key, token) => {
    const settings = key.tokens;
    if (!settings) return key;
    if (token === undefined) throw unauthorized("The key needs a token: send authorization: Bearer <token>.");
    const id = `${key.name} ${token}`;
    const known = kept.get(id);
    if (known && now() < known.until) return known.rules;
    kept.delete(id);
    const { rules, until } = await checked(key, settings, token, keyOf(key, settings), now());
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(id, { rules, until });
    return rules;
  };
}

async function checked(
  key: KeyRules,
  { issuer, audience = key.name, max_age }: TokenSettings,
  token: string,
  keyOf: JWTVerifyGetKey,
  now: number,
): Promise<{ rules: KeyRules; until: number }> {
  if (token.length > MAX_LENGTH) throw unauthorized(`The token has more than ${MAX_LENGTH} characters.`);
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, keyOf, {
      algorithms: issuer === undefined ? ["HS256"] : ["RS256", "ES256"],
      ...(issuer !== undefined && { issuer }),
      audience,
      requiredClaims: ["exp", "iat"],
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(now),
    }));
  } catch (error) {
    throw refusalOf(error);
  }
  const { exp = 0, iat = 0, sub } = payload;
  if (iat > now / 1_000 + TOLERANCE_S) throw unauthorized("The token is not valid yet.");
  if (exp - iat > max_age) throw forbidden(key, "token", `its token is valid for more than ${max_age} seconds`);
  if (!isObject(payload.relevance)) {
    throw forbidden(key, "token", "its token has no claim `relevance`, an object of what it may do");
  }
  // Read again, so that a filter has its numbers as written.
  const [, part = ""] = token.split(".");
  const { relevance } = parseLossless(Buffer.from(part, "base64url").toString("utf8")) as { relevance: unknown };
  return {
    rules: narrowedBy(key, relevance, sub ?? null),
    until: Math.min((exp + TOLERANCE_S) * 1_000, now + SECRETS_MS),
  };
}

const unauthorized = (message: string) => new ApiError("unauthorized", message);

/** Returns the answer for an error of jose. It says nothing about other keys or tokens. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof errors.JWTExpired) return unauthorized("The token has expired.");
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (reason === "missing") return unauthorized(`The token has no claim ${claim}.`);
    return unauthorized(
      claim === "nbf" ? "The token is not valid yet." : `The token's ${claim} is not that of the key.`,
    );
  }
  if (error instanceof errors.JWKSNoMatchingKey) return unauthorized("The token names an unknown key id.");
  if (error instanceof errors.JWSSignatureVerificationFailed) return unauthorized("The token's signature is wrong.");
  if (error instanceof errors.JOSEAlgNotAllowed) return unauthorized("The token's algorithm is not allowed.");
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || isUnread(error)) {
    return new ApiError("upstream_unavailable", "The keys that verify tokens cannot be read.", { cause: error });
  }
  return unauthorized("The token is not a signed token.");
}

/** Returns whether the document of keys could not be read: jose throws its base class, fetch a TypeError. */
const isUnread = (error: unknown) => !(error instanceof errors.JOSEError) || error.constructor === errors.JOSEError;

function signingKeys(
  key: KeyRules,
  { issuer, jwks, jwks_url, secret_name = "" }: TokenSettings,
  { readSecret, now }: Required<TokenOptions>,
): JWTVerifyGetKey {
  if (issuer !== undefined) {
    if (jwks_url !== undefined) {
      return createRemoteJWKSet(new URL(jwks_url), { timeoutDuration: 3_000, cacheMaxAge: SECRETS_MS });
    }
    return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
  }
  let found: ReadonlyMap<string, KeyObject> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  return async ({ kid = "" }: JWTHeaderParameters) => {
    const age = now() - readAt;
    // A secret may be newer than the last reading.
    if (age > SECRETS_MS || (!found.has(kid) && age > UNKNOWN_ID_MS)) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    }
    const secret = found.get(kid);
    if (!secret) throw unauthorized("The token names an unknown key id.");
    return secret;
  };

  async function read(): Promise<void> {
    try {
      const { secrets } = v.parse(SigningSecrets, JSON.parse(await readSecret(secret_name)));
      found = new Map(Object.entries(secrets).map(([id, secret]) => [id, createSecretKey(secret, "utf8")]));
      readAt = now();
    } catch (cause) {
      const message = `The signing secret of the key ${key.name} cannot be read.`;
      throw new ApiError("upstream_unavailable", message, { cause });
    }
  }
}
