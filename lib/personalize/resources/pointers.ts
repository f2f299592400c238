import type { SSMClient } from "@aws-sdk/client-ssm";
import { patientCalls } from "../../aws/call.ts";
import { ifThere } from "../../aws/errors.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";

/** Parameters that map names to current resources; the recommendation API reads them. */
export interface PointerStore {
  /** Returns undefined if there is no such parameter. */
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  /** Succeeds if the parameter does not exist. */
  remove(name: string): Promise<void>;
}

/**
 * Returns a PointerStore over the parameter store, with retries until the deadline. The client must not retry itself.
 */
export function ssmPointers(client: SSMClient, outer?: Deadline): PointerStore {
  const sdk = () => import("@aws-sdk/client-ssm");
  const call = patientCalls(30_000, 6, outer);
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
