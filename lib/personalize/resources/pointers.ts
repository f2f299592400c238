import type { SSMClient } from "@aws-sdk/client-ssm";
import { ifThere, isTransient } from "../../aws/errors.ts";
import { abortAt, type Deadline, deadlineWithin } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";

/** Parameters that say which resource a name stands for now; the recommendation API reads them. */
export interface PointerStore {
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  /** One that is gone already is no error. */
  remove(name: string): Promise<void>;
}

const CALL_MS = 30_000;
const ATTEMPTS = 6;

/** The parameter store as PointerStore, until the deadline. The client is made without retries of its own. */
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
