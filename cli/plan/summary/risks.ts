import { personalizeInput } from "./personalize-input.ts";
import type { Action, ResourceChange } from "./plan-json.ts";

/** What a removal or replacement means for users of the deployment. */
export interface Risk {
  kind: "data" | "url" | "key" | "interruption";
  /** Completes the line "<address> is deleted: …". */
  effect: string;
}

/** Resource types whose removal or replacement users notice. The others hold no data and can be created again. */
const RISKS: Readonly<Record<string, Risk>> = {
  aws_s3_bucket: { kind: "data", effect: "all objects in it are lost" },
  // AWS backs up deleted tables that have it. Source: "Point-in-time recovery", DynamoDB Developer Guide.
  aws_dynamodb_table: {
    kind: "data",
    effect: "all records in it are lost, except a backup that AWS keeps for 35 days",
  },
  aws_kms_key: { kind: "data", effect: "data encrypted with it becomes unreadable, after 30 days permanently" },
  aws_secretsmanager_secret: { kind: "data", effect: "its value is lost" },
  aws_cloudwatch_log_group: { kind: "data", effect: "the log in it is lost" },
  aws_sqs_queue: { kind: "data", effect: "messages waiting in it are lost" },
  aws_kinesis_firehose_delivery_stream: { kind: "data", effect: "records of the last minutes may be lost" },
  aws_lambda_event_source_mapping: {
    kind: "interruption",
    effect: "changed users and items wait in the queue until it exists again",
  },
  aws_sfn_state_machine: { kind: "interruption", effect: "its running executions stop, including a training" },
  aws_api_gateway_rest_api: { kind: "url", effect: "the execute-api URL changes" },
  aws_api_gateway_stage: { kind: "url", effect: "the API does not answer at its URL until the stage exists again" },
  aws_api_gateway_domain_name: { kind: "url", effect: "the API does not answer at its host name" },
  aws_api_gateway_base_path_mapping: { kind: "url", effect: "the API does not answer at its host name" },
  aws_route53_record: { kind: "url", effect: "the host name does not resolve" },
  aws_api_gateway_api_key: { kind: "key", effect: "callers need the new API key" },
  aws_api_gateway_usage_plan_key: { kind: "key", effect: "callers with that API key are rejected" },
  aws_api_gateway_usage_plan: { kind: "key", effect: "callers are rejected until it exists again" },
  aws_sagemaker_endpoint: {
    kind: "interruption",
    effect: "the model does not answer until the endpoint exists again",
  },
  aws_lambda_function: { kind: "interruption", effect: "requests fail until the function exists again" },
  aws_lambda_alias: { kind: "interruption", effect: "requests fail until the alias exists again" },
};

/** Risks of Personalize resources, by kind. A schema holds no data; its dataset does. */
const PERSONALIZE_RISKS: Readonly<Record<string, Risk>> = {
  dataset_group: { kind: "data", effect: "the dataset group is lost with all imported data and models" },
  dataset: { kind: "data", effect: "its imported data is lost, and the next training starts without it" },
  event_tracker: { kind: "interruption", effect: "events do not reach Personalize until it exists again" },
  filter: { kind: "interruption", effect: "requests that use the filter are rejected" },
  campaign: {
    kind: "interruption",
    effect: "recommendations of its recipe are answered without it until it exists again",
  },
};

/** Returns the risk of an action on a resource; undefined if there is none. */
export function riskOf({ type, change }: ResourceChange, action: Action): Risk | undefined {
  if (action !== "delete" && action !== "replace") return undefined;
  if (type !== "aws_lambda_invocation") return RISKS[type];
  const { kind = "" } = personalizeInput(change.before) ?? {};
  // A changed expression is a new filter, which is active before the old one is deleted.
  const createsFirst = change.actions[0] === "create";
  return kind === "filter" && createsFirst ? undefined : PERSONALIZE_RISKS[kind];
}
