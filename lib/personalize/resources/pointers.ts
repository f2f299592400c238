import type { SSMClient } from "@aws-sdk/client-ssm";
import { ifThere, isTransient } from "../../aws/errors.ts";
import { abortAt, type Deadline, deadlineWithin } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";

/** Parameters that map names to current resources; the recommendation API reads them. */
export interface PointerStore {
  /** Returns undefined if there is no such parameter. */
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  /** Succeeds if the parameter does not exist. */
  remove(name: string): Promise<void>;
}

const CALL_MS = 30_000;
const ATTEMPTS = 6;

/**
 * Returns a PointerStore over the parameter store, with retries until the deadline. The client must not retry itself.
 */
export function ssmPointers(client: SSMClient, outer?: Deadline): PointerStore {
  const sdk = () => import("@aws-sdk/client-ssm");
  const call = <T>(operation: (options: { abortSignal: AbortSignal }) => Promise<T>) => {
    const deadline = deadlineWithin(CALL_MS, outer);
    return retry(() => operation(abortAt(deadline)), { deadline, retryable: isTransient, attempts: ATTEMPTS });
  };
  return {
    async read(name) {
      const { GetParameterCommand } = await sdk();
      const found = await ifThere(call((options) => client.send(new GetParameterCommand({ Name: name }), options)));
      return found?.Parameter?.Value;
    },
    async write(name, value) {
      const { PutParameterCommand } = await sdk();
      const command = new PutParameterCommand({ Name: name, Value: value, Type: "String", Overwrite: true });
      await call((options) => client.send(command, options));
    },
    async remove(name) {
      const { DeleteParameterCommand } = await sdk();
      await ifThere(call((options) => client.send(new DeleteParameterCommand({ Name: name }), options)));
    },
  };
}
