import type { SSMClient } from "@aws-sdk/client-ssm";
import { isTransient } from "../etl/s3-object-store.ts";
import { deadlineIn } from "../resilience/deadline.ts";
import { retry } from "../resilience/retry.ts";

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

/** The parameter store as PointerStore. The client is made without retries of its own. */
export function ssmPointers(client: SSMClient): PointerStore {
  const sdk = () => import("@aws-sdk/client-ssm");
  const call = <T>(operation: () => Promise<T>) =>
    retry(operation, { deadline: deadlineIn(CALL_MS), retryable: isTransient, attempts: ATTEMPTS });
  const unlessAbsent = async <T>(operation: Promise<T>): Promise<T | undefined> => {
    try {
      return await operation;
    } catch (error) {
      if (error instanceof Error && error.name === "ParameterNotFound") return undefined;
      throw error;
    }
  };
  return {
    async read(name) {
      const { GetParameterCommand } = await sdk();
      const found = await unlessAbsent(call(() => client.send(new GetParameterCommand({ Name: name }))));
      return found?.Parameter?.Value;
    },
    async write(name, value) {
      const { PutParameterCommand } = await sdk();
      await call(() =>
        client.send(new PutParameterCommand({ Name: name, Value: value, Type: "String", Overwrite: true })),
      );
    },
    async remove(name) {
      const { DeleteParameterCommand } = await sdk();
      await unlessAbsent(call(() => client.send(new DeleteParameterCommand({ Name: name }))));
    },
  };
}
