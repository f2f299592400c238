import { iamPrincipal } from "../../platform/http/access.ts";
import type { Path } from "../problem.ts";
import { type Check, noneTwice, sound, uniqueBy } from "./drafts.ts";

/** The limits of a usage plan, which needs an API key. */
const LIMITS = ["rate_limit", "burst_limit", "daily_quota"] as const;

/** Checks that the settings of callers fit `authorization`. */
export const checkAuthorization: Check = ({ api }, report) => {
  const authorization = api?.authorization;
  if (api === undefined || authorization === undefined) return;
  const say = (path: Path, message: string) => report("api", path, `${message}: authorization is ${authorization}`);

  if (authorization === "lambda" && !Object.hasOwn(api, "lambda_authorizer")) {
    say(["lambda_authorizer"], "is missing");
  }
  if (authorization !== "lambda" && api.lambda_authorizer) say(["lambda_authorizer"], "has no effect");
  const keys = sound(api.keys);
  if (authorization === "api_key") {
    for (const [index, { principals }] of keys) {
      if (principals) say(["keys", index, "principals"], "has no effect");
    }
    return;
  }
  for (const [index, key] of keys) {
    if (!Object.hasOwn(key, "principals")) say(["keys", index, "principals"], "is missing");
  }
  const limited: [Path, object | undefined][] = [[["throttle"], api.throttle]];
  for (const [path, limits] of [...limited, ...keys.map(([index, key]): [Path, object] => [["keys", index], key])]) {
    for (const limit of LIMITS) {
      if (Reflect.get(limits ?? {}, limit) === undefined) continue;
      say([...path, limit], "limits an API key, and there is none (default_throttle limits the whole API)");
    }
  }

  const callers = keys.flatMap(([index, { principals }]) =>
    sound(principals).map(([at, principal]) => ({ path: ["keys", index, "principals", at], principal })),
  );
  const idOf = authorization === "iam" ? iamIdOf : (principal: string) => principal;
  for (const { path, principal } of callers) {
    if (idOf(principal) === undefined) {
      const form = "arn:aws:iam::123456789012:role/shop-page";
      say(path, `must be the ARN of a role or user such as ${form}, got "${principal}"`);
    }
  }
  uniqueBy(
    callers,
    ({ principal }) => idOf(principal),
    (at, id) => report("api", callers[at]?.path ?? [], `${id} appears twice`),
  );
};

/** A role is configured by its own ARN, not by that of a session, whose name the caller chooses. */
const iamIdOf = (arn: string) => (arn.includes(":assumed-role/") ? undefined : iamPrincipal(arn));

/** Checks that origins are listed once, and that `*` is listed alone. */
export const checkCors: Check = ({ api }, report) => {
  const origins = api?.cors?.allow_origins;
  noneTwice(report, "api", ["cors", "allow_origins"], origins);
  if (origins !== undefined && origins.length > 1 && origins.includes("*")) {
    report("api", ["cors", "allow_origins"], 'must be "*" alone, or origins without it');
  }
};

/** Checks that the ways to reach the APIs go together. */
export const checkReach: Check = ({ api }, report) => {
  if (api === undefined) return;
  for (const name of ["domain_name_system", "recommendation_domain_name"] as const) {
    if (api.private_api && api[name]) {
      report("api", ["private_api"], `cannot be combined with ${name}: a private API has no host name of its own`);
    }
  }
  if (api.execute_api_url === false && !api.domain_name_system && !api.recommendation_domain_name) {
    report("api", ["execute_api_url"], "is false, but no API has a host name: nothing could call them");
  }
};

/** Checks that no two keys have the same name, and that tokens can be checked. */
export const checkKeys: Check = ({ api }, report) => {
  noneTwice(report, "api", ["keys"], api?.keys, "name");
  for (const [index, { tokens }] of sound(api?.keys)) {
    if (!tokens) continue;
    const say = (message: string) => report("api", ["keys", index, "tokens"], message);
    const sources = [tokens.jwks, tokens.jwks_url].filter((one) => one !== undefined).length;
    if (api?.authorization === "iam") say("cannot be combined with IAM, whose signature is in the same header");
    if (sources !== (tokens.issuer === undefined ? 0 : 1))
      say("needs either jwks or jwks_url with an issuer, else neither");
  }
};
