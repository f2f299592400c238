import { PutObjectCommand } from "@aws-sdk/client-s3";
import { CreateStateMachineCommand } from "@aws-sdk/client-sfn";
import { CreateQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { State } from "@relevance/lib/infrastructure/lambda-task.ts";
import { stateMachineDefinitions } from "@relevance/lib/infrastructure/state-machines.ts";
import type { StateMachineName } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import { PLACEMENTS } from "@relevance/lib/recommendation/placements/document.ts";
import { CHANGE_QUEUE } from "@relevance/lib/recommendation/sync/change-queue.ts";
import { putDocument } from "./documents.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";
import { createRole } from "./resources.ts";

/** Concurrent calls of a map step, enough to keep two processors busy. */
const MAX_CONCURRENCY = 2;

/** Creates the change queue and its dead-letter queue. */
export async function createQueues({ clients: { sqs }, names }: RecommendationParts) {
  const dead = await sqs.send(new CreateQueueCommand({ QueueName: names.queue("realtime-dead-letters") }));
  const deadLetterTargetArn = await arnOf(dead.QueueUrl);
  const queue = await sqs.send(
    new CreateQueueCommand({
      QueueName: names.queue("realtime"),
      Attributes: {
        VisibilityTimeout: String(CHANGE_QUEUE.visibilityTimeoutSeconds),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: CHANGE_QUEUE.maxReceiveCount }),
      },
    }),
  );
  return { url: queue.QueueUrl ?? "", arn: await arnOf(queue.QueueUrl) };

  async function arnOf(QueueUrl: string | undefined): Promise<string> {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }));
    return Attributes?.QueueArn ?? "";
  }
}

/** Creates the state machines. */
export async function createStateMachines({ cloud, clients, names }: RecommendationParts): Promise<void> {
  const role = names.role("state-machines");
  await createRole(cloud, role);
  const definitions = stateMachineDefinitions(names, MAX_CONCURRENCY);
  await Promise.all(
    (Object.entries(definitions) as [StateMachineName, State][]).map(([name, definition]) =>
      clients.states.send(
        new CreateStateMachineCommand({
          name: names.stateMachine(name),
          roleArn: names.roleArn(role),
          definition: JSON.stringify(definition),
        }),
      ),
    ),
  );
}

/** Uploads the configuration files to the place where the functions read them. */
export async function putConfiguration({ clients, names, configuration }: RecommendationParts): Promise<void> {
  await Promise.all(
    Object.entries(configuration.files).map(([path, Body]) =>
      clients.s3.send(new PutObjectCommand({ Bucket: names.bucket(), Key: `${PREFIXES.configuration}${path}`, Body })),
    ),
  );
}

/** Stores the placements of the configuration as the version in use, like `deploy`. */
export async function putPlacements({ clients, names, configuration }: RecommendationParts): Promise<void> {
  const placements = configuration.recommendation?.placements ?? [];
  await putDocument(clients.s3, names.bucket(), PLACEMENTS, { placements });
}
