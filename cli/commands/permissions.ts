import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { defineCommand } from "../command.ts";
import { filled, option } from "../options.ts";
import { charactersOf, MAX_CHARACTERS, type Policy, policiesOf } from "../permissions/policies.ts";
import { emptyFolder } from "../plan/reviewed.ts";
import { inAccount, namesIn, openSession, type Session } from "../project.ts";

/** `relevance permissions`: prints the policies of whoever deploys this configuration. */
export const command = defineCommand({
  example: "relevance permissions --conf conf --out policies",
  options: {
    out: option(
      "--out <dir>",
      "write each policy to a file of a new folder, instead of printing them",
      v.optional(filled("needs a folder")),
    ),
  },
  run: async ({ conf, out }, context) => {
    const session = await openSession(conf, context);
    const { terminal } = context;
    const names = await namesOf(session);
    const { sampleStacks } = await import("../../stacks/sample-stacks.ts");
    const policies = policiesOf(session.config, names, sampleStacks(session.config));
    const indented = ({ document }: Policy) => JSON.parse(document);
    if (out === undefined) {
      terminal.printJson(Object.fromEntries(policies.map((policy) => [policy.name, indented(policy)])));
    } else {
      await emptyFolder(out);
      for (const policy of policies) {
        await writeFile(join(out, `${policy.name}.json`), `${JSON.stringify(indented(policy), undefined, 2)}\n`);
      }
    }
    const policyArn = names.roleArn("", "/").replace(":role/", ":policy/");
    if (session.config.project.aws.permissions_boundary_arn === undefined)
      terminal.note(
        "Without aws.permissions_boundary_arn, whoever deploys can give a function any permission of the account.",
      );
    terminal.note(howTo(policies, { folder: out ?? "DIR", policyArn }));
  },
});

/** Calls no AWS if the configuration says the account. */
async function namesOf(session: Session): Promise<Names> {
  const { account_id: account } = session.config.project.aws;
  if (account !== undefined) return namesIn(session, account);
  try {
    return (await inAccount(session)).names;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message}; or set aws.account_id in project.yaml: this command then needs no credentials`;
    throw new Failure(message, { cause: error });
  }
}

const WORK = {
  plan: "plan, info and list",
  deploy: "deploy, destroy and all other commands, together with the first",
  "init-state": "init-state, together with the first",
  batch: "batch, together with the first",
  forget: "forget, together with the first",
  restore: "restore, which reads and writes users and items, together with the first two",
} as const satisfies Record<Policy["work"], string>;

function howTo(policies: readonly Policy[], { folder, policyArn }: { folder: string; policyArn: string }): string {
  const lines = policies.map(
    ({ name, work, document }) => `  ${name}  ${charactersOf(document)} characters, for ${WORK[work]}`,
  );
  const [{ name } = { name: "" }] = policies;
  return [
    `\n${policies.length} policies, of at most ${MAX_CHARACTERS.toLocaleString("en")} characters each, as IAM counts them:`,
    ...lines,
    "\nCreate each as a managed policy, and attach it to the role or the user that deploys:",
    ...(folder === "DIR" ? ["  relevance permissions --out DIR"] : []),
    `  aws iam create-policy --policy-name ${name} --policy-document file://${join(folder, `${name}.json`)}`,
    `  aws iam attach-role-policy --role-name ROLE --policy-arn ${policyArn}${name}`,
    `  aws iam attach-user-policy --user-name USER --policy-arn ${policyArn}${name}`,
    "\nA role or user takes 10 managed policies. They are too long for the inline policies of a user.",
    "Print them again when the configuration changes. Keep the old ones until what was taken out is removed.",
  ].join("\n");
}
