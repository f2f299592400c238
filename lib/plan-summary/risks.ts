import type { Action } from "./summary.ts";

/** What a removal or replacement means for those who use the deployment. */
export interface Risk {
  kind: "data" | "url" | "key" | "interruption";
  /** Completes the line "<address> is deleted: …". */
  effect: string;
}

/** Types whose removal or replacement users notice. Others of ours hold nothing and are made anew without a trace. */
const RISKS: Readonly<Record<string, Risk>> = {
  aws_s3_bucket: { kind: "data", effect: "all objects in it are lost" },
  aws_dynamodb_table: { kind: "data", effect: "all records in it are lost" },
  aws_kms_key: { kind: "data", effect: "what is encrypted with it cannot be read any more, after 30 days for good" },
  aws_secretsmanager_secret: { kind: "data", effect: "its value is lost" },
  aws_cloudwatch_log_group: { kind: "data", effect: "the log in it is lost" },
  aws_sqs_queue: { kind: "data", effect: "messages that wait in it are lost" },
  aws_kinesis_firehose_delivery_stream: { kind: "data", effect: "records of the last minutes may be lost" },
  aws_lambda_invocation: { kind: "data", effect: "the Personalize resource that it stands for is deleted" },
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

/** The risk of an action on a resource of a type; undefined where there is none. */
export function riskOf(type: string, action: Action): Risk | undefined {
  return action === "delete" || action === "replace" ? RISKS[type] : undefined;
}
