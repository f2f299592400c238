import {
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  PutLogEventsCommand,
  PutSubscriptionFilterCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { AddPermissionCommand } from "@aws-sdk/client-lambda";
import { aliasArn, logHandler, REQUEST_LOGS } from "@relevance/lib/infrastructure/functions.ts";
import { LIVE_ALIAS, type Names } from "@relevance/lib/platform/naming/names.ts";
import { type RequestLogKind, requestLogFilterPattern } from "@relevance/lib/platform/request-log/kinds.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { bundleArchive } from "./bundles.ts";
import type { LocalClients } from "./clients.ts";
import { createForwarder } from "./log-forwarder.ts";
import { createFunction, createStream } from "./resources.ts";
import type { Scope } from "./scope.ts";

interface RequestLogOptions {
  cloud: Pick<Cloud, "endpoint">;
  clients: LocalClients;
  names: Names;
  configuration: Pick<Configuration, "project">;
  /** Folder of the built functions. */
  outdir: string;
}

/** The path from a function's log to the bucket in the local cloud. */
interface RequestLogPath {
  /** Writes lines to the log group of the function that logs, as Lambda does with the function's standard output. */
  put(lines: readonly string[]): Promise<void>;
}

const LOG_STREAM = "local";

/** The local request log for functions that run in this process. */
interface LocalRequestLog {
  add: (line: string) => void;
  /** Resolves when the path to the bucket exists. */
  opened: Promise<unknown>;
}

/** Opens a request log. Lines that arrive before its path exists are queued. */
export function openRequestLog(
  kind: RequestLogKind,
  options: RequestLogOptions & { scope: Scope; say: (line: string) => void },
): LocalRequestLog {
  const path = createRequestLogPath(kind, options);
  // The caller awaits it later; a failure before that must not end the process.
  path.catch(() => undefined);
  const forwarder = createForwarder({ put: async (lines) => (await path).put(lines), say: options.say });
  options.scope.add(() => forwarder.stop());
  return { add: forwarder.add, opened: path };
}

/**
 * Creates the request log's path in the local cloud, as deployed: log group, subscription, handler and Firehose
 * stream. The bucket must exist.
 */
async function createRequestLogPath(kind: RequestLogKind, options: RequestLogOptions): Promise<RequestLogPath> {
  const { clients, names, configuration, outdir } = options;
  const zip = bundleArchive(outdir, REQUEST_LOGS[kind].handler);
  const { source, handler, stream } = REQUEST_LOGS[kind];
  const { logs } = clients;
  const logGroupName = names.functionLogGroup(source);

  await Promise.all([
    createFunction(clients.lambda, options, handler, {
      ...logHandler(names, configuration.project.project_name, kind),
      zip,
    }),
    createStream(clients.firehose, options, stream),
    logs
      .send(new CreateLogGroupCommand({ logGroupName }))
      .then(() => logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: LOG_STREAM }))),
  ]);
  await clients.lambda.send(
    new AddPermissionCommand({
      FunctionName: names.function(handler),
      Qualifier: LIVE_ALIAS,
      StatementId: "RequestLog",
      Action: "lambda:InvokeFunction",
      Principal: "logs.amazonaws.com",
    }),
  );
  await logs.send(
    new PutSubscriptionFilterCommand({
      logGroupName,
      filterName: "request-log",
      filterPattern: requestLogFilterPattern(kind),
      destinationArn: aliasArn(names, handler),
    }),
  );
  return {
    async put(lines) {
      const timestamp = Date.now();
      const logEvents = lines.map((message) => ({ timestamp, message }));
      await logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: LOG_STREAM, logEvents }));
    },
  };
}
