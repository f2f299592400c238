import { readFileSync } from "node:fs";

/** Sids of the statements that deploy and remove. */
export type WritingSid =
  | "Roles"
  | "ServiceLinkedRoles"
  | "Apis"
  | "Unnamed"
  | "UseTheKeys"
  | "Bucket"
  | "Functions"
  | "MakeWhatIsInPersonalizeAndProbe"
  | "Models"
  | "Observability"
  | "Data";

/** What Terraform's provider calls for one type of resource. Words are actions; one without a service has that of the word before. */
interface ProviderCalls {
  read?: string;
  create?: string;
  /** Arguments that are changed in place, by the actions that change them. */
  update?: Readonly<Record<string, string>>;
  tag?: string;
  untag?: string;
  delete?: string;
  /** The service whose role AWS creates, with the caller's permission; `{name}` is an argument. */
  linked?: string;
  /** Arguments whose change needs a new resource or no call. */
  fixed?: string;
}

/**
 * The calls of the provider, version 5.100.0, for the resources and arguments of the stacks. Sources: its code, which the local
 * cloud checks by deploying, Service Authorization Reference, "Services that work with IAM", "Permissions validation" of Application
 * Auto Scaling.
 */
export const PROVIDER_CALLS: Readonly<Record<string, ProviderCalls>> = JSON.parse(
  readFileSync(new URL("provider-calls.json", import.meta.url), "utf8"),
);

/** Actions of a resource that the stacks have, by the statement that they belong to; `read` is what a plan needs too. */
export function callsOf(
  type: string,
  attributes: Readonly<Record<string, unknown>>,
): [sid: "read" | WritingSid, string][] {
  const calls = PROVIDER_CALLS[type] ?? {};
  const updates = Object.entries(calls.update ?? {}).filter(([, names]) =>
    words(names).some((one) => isSet(attributes[one])),
  );
  const { read = "", create = "", tag = "", untag = "", delete: remove = "", linked } = calls;
  const writing = [create, ...updates.map(([actions]) => actions), tag, untag, remove].flatMap(actionsIn);
  const service = linked?.replace(/\{(\w+)\}/, (_, name) => String(attributes[name]));
  return [
    ...actionsIn(read).map((action) => ["read", action] as const),
    ...writing.map((action) => [sidOf(type, action), action] as const),
    ...(service === undefined ? [] : [["ServiceLinkedRoles", service] as const]),
  ].map(([sid, action]) => [sid, action]);
}

/** Returns the words of a text of the table. */
export const words = (text: string): string[] => text.split(" ").filter((one) => one !== "");

/** Returns the actions in a text of the table, with their services. */
export function actionsIn(text: string): string[] {
  let service = "";
  return words(text).map((word) => {
    const [name = "", prefix] = word.split(":").reverse();
    service = prefix ?? service;
    return `${service}:${name}`;
  });
}

const isSet = (value: unknown) => value !== undefined && value !== false && value !== null;

const SID_OF_ACTION: Readonly<Record<string, WritingSid>> = {
  // Creating them has no resource, and AWS chooses the ids.
  "lambda:CreateEventSourceMapping": "Unnamed",
  "lambda:DeleteEventSourceMapping": "Unnamed",
  "lambda:UpdateEventSourceMapping": "Unnamed",
  "logs:CreateLogDelivery": "Unnamed",
  "lambda:InvokeFunction": "MakeWhatIsInPersonalizeAndProbe",
};

const SID_OF_SERVICE: Readonly<Record<string, WritingSid>> = {
  apigateway: "Apis",
  cloudwatch: "Observability",
  iam: "Roles",
  lambda: "Functions",
  logs: "Observability",
  s3: "Bucket",
  sagemaker: "Models",
  sns: "Observability",
  ...Object.fromEntries(
    ["application-autoscaling", "ec2", "kms", "route53", "wafv2"].map((service) => [service, "Unnamed"] as const),
  ),
};

/** Application Auto Scaling names the alarms, and checks with empty names whether its caller may make them. */
const SID_OF_TYPE: Readonly<Record<string, WritingSid>> = { aws_appautoscaling_policy: "Unnamed" };

const sidOf = (type: string, action: string): WritingSid =>
  SID_OF_TYPE[type] ?? SID_OF_ACTION[action] ?? SID_OF_SERVICE[action.split(":")[0] ?? ""] ?? "Data";
