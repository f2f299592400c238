import { gunzipSync, gzipSync } from "node:zlib";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";

/** Seconds in which nobody else receives a message that is being read. */
const READ_SECONDS = 60;

/** A queue message from Lambda: events of a log group, whose texts are lines. */
const Body = v.looseObject({ requestPayload: v.looseObject({ awslogs: v.object({ data: v.string() }) }) });
const Logged = v.looseObject({ logEvents: v.array(v.looseObject({ message: v.string() })) });

/**
 * Removes a person's lines from the messages of queues. A message that has one is replaced by a message without it.
 * Returns the number of lines. Ignores queues that do not exist.
 */
export async function rewriteQueues(
  sqs: SQSClient,
  queues: readonly string[],
  isTheirs: (line: Buffer) => boolean,
): Promise<number> {
  let lines = 0;
  for (const QueueName of queues) {
    const queue = await ignoreNotFound(sqs.send(new GetQueueUrlCommand({ QueueName })));
    if (queue?.QueueUrl) lines += await rewriteQueue(sqs, queue.QueueUrl, isTheirs);
  }
  return lines;
}

async function rewriteQueue(sqs: SQSClient, QueueUrl: string, isTheirs: (line: Buffer) => boolean): Promise<number> {
  const seen = new Set<string | undefined>();
  const others: Message[] = [];
  const receive = new ReceiveMessageCommand({
    ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: READ_SECONDS },
  });
  let lines = 0;
  for (;;) {
    const { Messages = [] } = await sqs.send(receive);
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId));
    others.push(...Messages.filter((message) => !fresh.includes(message)));
    if (fresh.length === 0) break;
    for (const message of fresh) {
      seen.add(message.MessageId);
      const rewritten = withoutLines(message, isTheirs);
      if (!rewritten) {
        others.push(message);
        continue;
      }
      lines += rewritten.lines;
      if (rewritten.body !== undefined) {
        seen.add((await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: rewritten.body }))).MessageId);
      }
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
    }
  }
  // Back to log-handler at once.
  for (const { ReceiptHandle } of others) {
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  }
  return lines;
}

/** Returns a message's body without the person's lines; none if all lines are theirs. Undefined if no line is. */
function withoutLines({ Body: text = "" }: Message, isTheirs: (line: Buffer) => boolean) {
  const body = v.parse(Body, JSON.parse(text));
  const data = gunzipSync(Buffer.from(body.requestPayload.awslogs.data, "base64"));
  const logged = v.parse(Logged, JSON.parse(data.toString()));
  const kept = logged.logEvents.filter(({ message }) => !isTheirs(Buffer.from(message)));
  const lines = logged.logEvents.length - kept.length;
  if (lines === 0) return undefined;
  if (kept.length === 0) return { lines };
  body.requestPayload.awslogs.data = gzipSync(JSON.stringify({ ...logged, logEvents: kept })).toString("base64");
  return { lines, body: JSON.stringify(body) };
}
