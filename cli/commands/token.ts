import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import { signToken, type TokenClaim } from "../../packages/clients/typescript/src/index.ts";
import { explainToken, rotateTokenSecret, tokenSecrets } from "../apply/token-secrets.ts";
import { confOf, defineCommand } from "../command.ts";
import { flag, local, maybe, number, option } from "../options.ts";
import { openProject } from "../project.ts";

const Claim = v.pipe(
  v.string(),
  v.transform((text) => parseJson(text)),
  v.custom<TokenClaim>(isObject, "must be a JSON object"),
);

/** `relevance token`: makes and explains tokens of a key, and replaces the secret that signs them. */
export const command = defineCommand({
  example: [
    `relevance token --key page --claim '{"filter": {"tenant": "a"}, "user_id": "u1"}' --subject anna`,
    "relevance token --key page --explain eyJhbGciOi…",
    "relevance token --key page --rotate           # both secrets are valid",
    "relevance token --key page --rotate --finish  # after all servers sign with the new one",
  ].join("\n  "),
  json: true,
  options: {
    key: option("--key <name>", "the key of api.yaml, with `tokens`", v.string()),
    claim: option("--claim <json>", "what the token leaves of the key", Claim, { default: "{}" }),
    subject: option("--subject <name>", "who the token is for", maybe),
    minutes: option("--minutes <n>", "how long it is valid", number(/^\d{1,5}$/, "must be a number"), {
      default: "60",
    }),
    explain: option("--explain <token>", "say whether the key takes a token, and what it may do", maybe),
    rotate: flag("--rotate", "sign with a new secret; the old one is valid until --finish"),
    finish: flag("--finish", "remove the old secret"),
    ...local,
  },
  run: async ({ key: name, claim, subject, minutes, explain, rotate, finish, ...options }, context) => {
    const project = await openProject({ ...options, conf: confOf(options) }, context);
    const key = project.config.api.keys?.find((one) => one.name === name && one.tokens);
    if (!key) throw new UsageError(`--key: api.yaml has no key ${name} with \`tokens\``);
    if (explain !== undefined) {
      context.terminal.print(JSON.stringify(await explainToken(project, name, explain), undefined, 2));
      return;
    }
    if (key.tokens?.issuer) throw new Failure(`tokens of ${name} are signed by ${key.tokens.issuer}`);
    if (rotate || finish) {
      const current = await rotateTokenSecret(project, name, finish);
      context.terminal.note(`The secret ${project.names.tokenSecret(name)} signs with the key id ${current}.`);
      return;
    }
    const secret = JSON.stringify(await tokenSecrets(project, name));
    const token = await signToken(secret, claim, {
      ...(subject !== undefined && { subject }),
      expiresIn: minutes * 60,
    });
    context.terminal.print(options.json ? JSON.stringify({ token }) : token);
  },
});
