import type {
  $Command,
  PersonalizeClient,
  PersonalizeClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-personalize";
import { isNamed, isTransient } from "../../aws/errors.ts";
import { abortAt, type Deadline, deadlineWithin, retry } from "../../core/resilience/deadline.ts";
import { StillInProgress } from "./manager-error.ts";

/** The control plane of Personalize. It retries transient failures: every operation used here is idempotent. */
export interface Personalize {
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: $Command<Input, Output, PersonalizeClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  ): Promise<Output>;
}

/** Time limit of one call with its retries. Personalize allows an account few control plane calls per second. */
const CALL_MS = 60_000;
const ATTEMPTS = 8;

export interface CallOptions {
  /** The deadline of every call, including retries. */
  deadline?: Deadline;
  /** Replaced in tests so that nothing sleeps. */
  wait?: (ms: number) => Promise<unknown>;
}

/** Wraps a client, which must not retry by itself. Throws StillInProgress if no answer comes in time. */
export function personalizeOf(
  client: Pick<PersonalizeClient, "send">,
  { deadline: outer, wait }: CallOptions = {},
): Personalize {
  return {
    send: async (command) => {
      const deadline = deadlineWithin(CALL_MS, outer);
      const call = () => client.send(command, abortAt(deadline));
      try {
        return await retry(call, { deadline, retryable: isTransient, attempts: ATTEMPTS, ...(wait && { wait }) });
      } catch (error) {
        if (isNamed(error, "AbortError")) throw new StillInProgress("An answer of Personalize", "OUTSTANDING");
        throw error;
      }
    },
  };
}

/** Returns the result of a creation, or undefined if the resource exists already. */
export async function ifNew<T>(creation: Promise<T>): Promise<T | undefined> {
  try {
    return await creation;
  } catch (error) {
    if (isNamed(error, "ResourceAlreadyExistsException")) return undefined;
    throw error;
  }
}
