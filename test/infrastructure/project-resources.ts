import {
  APIGatewayClient,
  GetApiKeysCommand,
  GetRestApisCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import { CloudWatchClient, DescribeAlarmsCommand, ListDashboardsCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { FirehoseClient, ListDeliveryStreamsCommand } from "@aws-sdk/client-firehose";
import { IAMClient, ListRolesCommand } from "@aws-sdk/client-iam";
import { LambdaClient, ListEventSourceMappingsCommand, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import { ListStateMachinesCommand, SFNClient } from "@aws-sdk/client-sfn";
import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Cloud } from "../../packages/local-aws/cloud/front.ts";
import { clientOptions } from "../fixtures/cloud.ts";

/** Lists a project's resources, such as "table shop-users", as the services list them and not Terraform's state. */
export async function projectResources(cloud: Cloud, project: string): Promise<string[]> {
  const options = clientOptions(cloud);
  const gateway = new APIGatewayClient(options);
  const cloudwatch = new CloudWatchClient(options);
  const lambda = new LambdaClient(options);
  const [apis, keys, plans, alarms, dashboards, groups, tables, streams, roles, functions, mappings, machines, queues] =
    await Promise.all([
      gateway.send(new GetRestApisCommand()),
      gateway.send(new GetApiKeysCommand()),
      gateway.send(new GetUsagePlansCommand()),
      cloudwatch.send(new DescribeAlarmsCommand({ MaxRecords: 100 })),
      cloudwatch.send(new ListDashboardsCommand()),
      new CloudWatchLogsClient(options).send(new DescribeLogGroupsCommand()),
      new DynamoDBClient(options).send(new ListTablesCommand()),
      new FirehoseClient(options).send(new ListDeliveryStreamsCommand()),
      new IAMClient(options).send(new ListRolesCommand({ MaxItems: 1_000 })),
      lambda.send(new ListFunctionsCommand()),
      lambda.send(new ListEventSourceMappingsCommand()),
      new SFNClient(options).send(new ListStateMachinesCommand()),
      new SQSClient(options).send(new ListQueuesCommand()),
    ]);
  const found: Record<string, (string | undefined)[]> = {
    alarm: (alarms.MetricAlarms ?? []).map(({ AlarmName }) => AlarmName),
    api: (apis.items ?? []).map(({ name }) => name),
    "api key": (keys.items ?? []).map(({ name }) => name),
    dashboard: (dashboards.DashboardEntries ?? []).map(({ DashboardName }) => DashboardName),
    "event source": (mappings.EventSourceMappings ?? []).map(({ FunctionArn }) => FunctionArn),
    function: (functions.Functions ?? []).map(({ FunctionName }) => FunctionName),
    "log group": (groups.logGroups ?? []).map(({ logGroupName }) => logGroupName),
    queue: (queues.QueueUrls ?? []).map((url) => url.split("/").at(-1)),
    role: (roles.Roles ?? []).map(({ RoleName }) => RoleName),
    "state machine": (machines.stateMachines ?? []).map(({ name }) => name),
    stream: streams.DeliveryStreamNames ?? [],
    table: tables.TableNames ?? [],
    "usage plan": (plans.items ?? []).map(({ name }) => name),
  };
  return Object.entries(found).flatMap(([kind, names]) =>
    names
      .filter((name) => name?.includes(project))
      .map((name) => `${kind} ${name}`)
      .sort(),
  );
}
