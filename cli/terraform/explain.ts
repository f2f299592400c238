import * as v from "valibot";
import { DENIALS } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import type { Diagnostic } from "./messages.ts";

/** Where an error occurred, for messages with a command to run. */
interface TerraformFolder {
  stack: string;
  directory: string;
  program: string;
}

type Rule = readonly [pattern: RegExp, advice: (text: string, place: TerraformFolder) => string];

/** Returns a pattern for words of Terraform, and for names of errors that the AWS provider passes on. */
const either = (names: readonly string[], words: RegExp) => new RegExp([...names, words.source].join("|"), words.flags);

const FORBIDDEN = either(DENIALS.forbidden, /is not authorized to perform/);

const RULES: readonly Rule[] = [
  [/Error acquiring the state lock/, lockedState],
  [
    either(DENIALS.expired, /token (included in the request )?(has |is )?expired|SSO session .*expired/i),
    () =>
      "the AWS credentials have expired: get new ones (with single sign-on: `aws sso login`) and run the command again",
  ],
  [
    /No valid credential sources found|no EC2 IMDS role found/,
    () => "there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  ],
  [
    /AWS Account ID not allowed: (\d+)/i,
    (text) =>
      `the credentials changed to account ${/not allowed: (\d+)/i.exec(text)?.[1]} during the run: use one account`,
  ],
  [
    /Saved plan is stale|plan file can no longer be applied/,
    () => "somebody changed the stack after it was planned: run the command again and check the new plan",
  ],
  [
    /Backend configuration changed|Backend initialization required/,
    (_, { program, directory }) =>
      `terraform.state in project.yaml no longer names the place of the state. Migrate each stack with ` +
      `\`${program} -chdir=${directory} init -migrate-state\`, then run the command again`,
  ],
  [
    /S3 bucket "?([^"\s]+)"? does not exist|NoSuchBucket/,
    () => "the bucket of terraform.state does not exist: run `relevance init-state` to create it",
  ],
  [
    /locked provider \S+ [\d.]+\s+does\s+not\s+match/,
    (text, { directory }) => {
      const [, locked] = /locked provider \S+ ([\d.]+)/.exec(text) ?? [];
      return (
        `${directory}/.terraform.lock.hcl names AWS provider ${locked}, but Relevance uses exactly ` +
        `${constraintIn(text)}: delete that file, then run the command again`
      );
    },
  ],
  [
    /no available releases\s+match/,
    (text) =>
      `the registry or mirror has no AWS provider ${constraintIn(text)}, the only version that Relevance uses. Fill ` +
      "the folder that TF_PROVIDER_MIRROR names with `terraform providers mirror`, run in a folder of dist/terraform/*/stacks",
  ],
  [
    /managed by newer provider version/,
    (text) =>
      "its state was written by a newer AWS provider than Relevance uses. Bring back the version of the state from " +
      `before that provider ran, for example from the bucket of terraform.state, then run the command again\n${indent(text)}`,
  ],
  [
    /Failed to query available provider packages|Failed to install provider|could not connect to registry/,
    (text) =>
      "cannot download the AWS provider: check the network, or set TF_PROVIDER_MIRROR to a folder filled by " +
      `\`terraform providers mirror\`\n${indent(text)}`,
  ],
  [
    /cannot be assumed by|(is )?unable to assume role|[Cc]ould not assume role|is authorized to assume the provided role/,
    (text) =>
      `AWS cannot use a new role yet: changes of IAM must propagate to all services. Run the command again\n${indent(text)}`,
  ],
  [
    FORBIDDEN,
    (text) => `the credentials lack a permission; \`relevance permissions\` prints all required ones\n${indent(text)}`,
  ],
];

/** Terraform failed. Contains its diagnostics. */
export class TerraformFailure extends Failure {
  override name = "TerraformFailure";
  readonly stackName: string;
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, stackName: string, diagnostics: readonly Diagnostic[]) {
    super(message);
    this.stackName = stackName;
    this.diagnostics = diagnostics;
  }
}

/** Returns the version that an error of `terraform init` says is required. Terraform breaks its lines anywhere. */
function constraintIn(text: string): string {
  return /constraints?\s+([\d.]*\d)/.exec(text)?.[1] ?? "the version of the stack";
}

/** Returns the failure to show for Terraform's diagnostics: what is wrong and, if known, what to do. */
export function terraformFailure(diagnostics: readonly Diagnostic[], place: TerraformFolder): TerraformFailure {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const texts = errors.map(textOf);
  const whole = texts.join("\n");
  const failure = (message: string) => new TerraformFailure(message, place.stack, diagnostics);
  const denied = errors.find(isDeniedToFunction);
  if (denied) return failure(`Stack ${place.stack}: ${deniedAdvice(textOf(denied))}`);
  for (const [pattern, advice] of RULES) {
    if (pattern.test(whole)) return failure(`Stack ${place.stack}: ${advice(whole, place)}`);
  }
  const what =
    whole === "" ? "Terraform failed without a message: run it with TF_LOG=debug to see more" : indent(whole);
  return failure(
    `Stack ${place.stack} failed. Completed changes are in the state: fix the problem and run the command again.\n${what}`,
  );
}

/** Advice if a function that Terraform invoked lacks a permission, not the deployer. */
function deniedAdvice(text: string): string {
  return (
    `${deniedRole(text)} lacks a permission, not your credentials. New permissions take a while to work: run the command ` +
    "again. If that does not help, a permissions boundary or a service control policy denies it, or somebody changed the " +
    `role\n${indent(text)}`
  );
}

function textOf(diagnostic: Diagnostic): string {
  const { summary, detail, address } = diagnostic;
  const where = address === undefined || address === "" ? "" : `${address}: `;
  const thrown = functionErrorIn(diagnostic);
  if (thrown) return `${where}${thrown.message}`;
  return `${where}${summary}${detail ? `\n${detail.trim()}` : ""}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");
}

function lockedState(text: string, { program, directory }: TerraformFolder): string {
  const field = (name: string) => new RegExp(`^\\s*${name}:\\s+(.+)$`, "m").exec(text)?.[1]?.trim();
  const id = field("ID");
  if (id === undefined) return `its state is locked, and the lock does not name its owner\n${indent(text)}`;
  const operation =
    field("Operation")
      ?.replace(/^OperationType/, "")
      .toLowerCase() ?? "unknown";
  return (
    `its state is locked by ${field("Who") ?? "somebody"} since ${field("Created") ?? "an unknown time"} (${operation}). ` +
    "Wait until that finishes, then run the command again.\n" +
    `If it no longer runs: \`${program} -chdir=${directory} force-unlock ${id}\``
  );
}

/** Lambda's answer for a function that threw. */
const Thrown = v.object({ errorType: v.string(), errorMessage: v.string() });

/** The error of a function that Terraform invoked. */
interface FunctionError {
  type: string;
  message: string;
}

/** The error class of personalize-manager for work that takes longer than its invocation. */
const STILL_IN_PROGRESS = "StillInProgress";

/** Extracts the function's error from a diagnostic of `aws_lambda_invocation`, which ends with Lambda's answer. */
export function functionErrorIn({ summary, detail = "" }: Diagnostic): FunctionError | undefined {
  const text = `${summary}\n${detail}`;
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  const thrown = v.safeParse(Thrown, parseJson(json));
  return thrown.success ? { type: thrown.output.errorType, message: thrown.output.errorMessage } : undefined;
}

/** The reason for repeating a call: Personalize is still working, or an IAM change is not in force everywhere yet. */
export type Wait = "work" | "permissions";

/** Returns what a repeated call waits for; undefined if an error would recur. */
export function waitOf(diagnostics: readonly Diagnostic[]): Wait | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0 || !errors.every((error) => isStillInProgress(error) || isDeniedToFunction(error))) return;
  return errors.some(isDeniedToFunction) ? "permissions" : "work";
}

const isStillInProgress = (error: Diagnostic) => functionErrorIn(error)?.type === STILL_IN_PROGRESS;

/** Whether a function that Terraform invoked lacks a permission. Not so the errors of Terraform's own calls. */
export function isDeniedToFunction(error: Diagnostic): boolean {
  const thrown = functionErrorIn(error);
  return thrown !== undefined && FORBIDDEN.test(`${thrown.type} ${thrown.message}`);
}

/** Returns the role that an error of AWS names, or "a function's role". */
export function deniedRole(message: string): string {
  const role = /:assumed-role\/([^/\s]+)\//.exec(message)?.[1];
  return role === undefined ? "a function's role" : `the role ${role}`;
}
