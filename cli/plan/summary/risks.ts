import { personalizeInput } from "./personalize-input.ts";
import type { Action, ResourceChange } from "./plan-json.ts";

/** What a removal or replacement means for those who use the deployment. */
export interface Risk {
  kind: "data" | "url" | "key" | "interruption";
  /** Completes the line "<address> is deleted: …". */
  effect: string;
}

/** Types whose removal or replacement users notice. Others of ours hold nothing and are made anew without a trace. */
const RISKS: Readonly<Record<string, Risk>> = {
  aws_s3_bucket: { kind: "data", effect: "all objects in it are lost" },
  // Source: "Point-in-time recovery", DynamoDB Developer Guide: the backup is made of tables that have it.
  aws_dynamodb_table: {
    kind: "data",
    effect: "all records in it are lost, but for a backup that AWS keeps for 35 days",
  },
  aws_kms_key: { kind: "data", effect: "what is encrypted with it cannot be read any more, after 30 days for good" },
  aws_secretsmanager_secret: { kind: "data", effect: "its value is lost" },
  aws_cloudwatch_log_group: { kind: "data", effect: "the log in it is lost" },
  aws_sqs_queue: { kind: "data", effect: "messages that wait in it are lost" },
  aws_kinesis_firehose_delivery_stream: { kind: "data", effect: "records of the last minutes may be lost" },
  aws_lambda_event_source_mapping: {
    kind: "interruption",
    effect: "changed users and items wait in the queue until it is there again",
  },
  aws_sfn_state_machine: { kind: "interruption", effect: "its running executions are ended, a training among them" },
  aws_api_gateway_rest_api: { kind: "url", effect: "the execute-api URL changes" },
  aws_api_gateway_stage: { kind: "url", effect: "the API does not answer at its URL until a stage is there again" },
  aws_api_gateway_domain_name: { kind: "url", effect: "the API does not answer at its host name" },
  aws_api_gateway_base_path_mapping: { kind: "url", effect: "the API does not answer at its host name" },
  aws_route53_record: { kind: "url", effect: "the host name does not resolve" },
  aws_api_gateway_api_key: { kind: "key", effect: "callers need the new API key" },
  aws_api_gateway_usage_plan_key: { kind: "key", effect: "callers with that API key are refused" },
  aws_api_gateway_usage_plan: { kind: "key", effect: "callers are refused while it is away" },
  aws_sagemaker_endpoint: {
    kind: "interruption",
    effect: "the model does not answer until the endpoint is there again",
  },
  aws_lambda_function: { kind: "interruption", effect: "requests fail until the function is there again" },
  aws_lambda_alias: { kind: "interruption", effect: "requests fail until the alias is there again" },
};

/** The same for what personalize-manager makes, by its kind. A schema holds nothing: the dataset that uses it does. */
const PERSONALIZE_RISKS: Readonly<Record<string, Risk>> = {
  dataset_group: { kind: "data", effect: "the dataset group goes with all that was imported and learned" },
  dataset: { kind: "data", effect: "what was imported into it is lost, the next training starts without it" },
  event_tracker: { kind: "interruption", effect: "events do not reach Personalize until one is there again" },
  filter: { kind: "interruption", effect: "requests that name the filter are refused" },
  campaign: { kind: "interruption", effect: "recommendations of its recipe come without it until it is there again" },
};

/** The risk of an action on a resource; undefined where there is none. */
export function riskOf({ type, change }: ResourceChange, action: Action): Risk | undefined {
  if (action !== "delete" && action !== "replace") return undefined;
  if (type !== "aws_lambda_invocation") return RISKS[type];
  const { kind = "" } = personalizeInput(change.before) ?? {};
  // Another expression is another filter, which serves before the old one goes.
  const createsFirst = change.actions[0] === "create";
  return kind === "filter" && createsFirst ? undefined : PERSONALIZE_RISKS[kind];
}
