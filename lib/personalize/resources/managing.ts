import { setTimeout as sleep } from "node:timers/promises";
import type { SSMClient } from "@aws-sdk/client-ssm";
import { patientCalls } from "../../platform/aws/call.ts";
import { ignoreNotFound } from "../../platform/aws/errors.ts";
import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Names } from "../../platform/naming/names.ts";
import type { Deadline, Invocation } from "../../platform/resilience/deadline.ts";
import { ManagerError, type Personalize, StillInProgress } from "./personalize.ts";

/** The manager's clients, names and time limits. */
export interface Managing {
  personalize: Personalize;
  pointers: PointerStore;
  names: Names;
  patience: Patience;
  /** Returns the solution version that a recipe's campaign should serve; undefined before the first training. */
  versionFor(recipe: RecipeKind): Promise<string | undefined>;
}

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
export function ssmPointers(client: Pick<SSMClient, "send">, outer?: Deadline): PointerStore {
  const sdk = () => import("@aws-sdk/client-ssm");
  const call = patientCalls(30_000, 6, outer);
  return {
    async read(name) {
      const { GetParameterCommand } = await sdk();
      const found = await ignoreNotFound(
        call((options) => client.send(new GetParameterCommand({ Name: name }), options)),
      );
      return found?.Parameter?.Value;
    },
    async write(name, value) {
      const { PutParameterCommand } = await sdk();
      const command = new PutParameterCommand({ Name: name, Value: value, Type: "String", Overwrite: true });
      await call((options) => client.send(command, options));
    },
    async remove(name) {
      const { DeleteParameterCommand } = await sdk();
      await ignoreNotFound(call((options) => client.send(new DeleteParameterCommand({ Name: name }), options)));
    },
  };
}

/** How long and how often the manager polls. Tests replace it so that nothing sleeps. */
export interface Patience {
  /** Returns the remaining milliseconds. */
  remaining(): number;
  wait(ms: number): Promise<unknown>;
  /** The interval between polls, in milliseconds. */
  intervalMs: number;
}

/** The longest wait of one invocation: below the function's timeout of 300 s, which would hide the reason. */
const MOST_WAITING_MS = 280_000;

/** Returns the time limits of an invocation that starts now. */
export function patienceOf(
  context: Invocation,
  intervalMs = 2_000,
  now: () => number = () => performance.now(),
): Patience {
  // Leaves time for one more poll and the answer.
  const most = Math.min(MOST_WAITING_MS, context.getRemainingTimeInMillis() - 15_000);
  const end = now() + most;
  return { remaining: () => end - now(), wait: sleep, intervalMs };
}

/** A resource's status, and the reason if it failed. */
export interface Life {
  status?: string | undefined;
  failureReason?: string | undefined;
}

/** Returns whether a change is in progress. Stopping a solution version goes through CREATE STOPPING. */
export function isMoving(status: string | undefined): boolean {
  return /PENDING|IN_PROGRESS|STOPPING/.test(status ?? "");
}

/** Returns whether a creation is being stopped. */
export function isStopping(status: string | undefined): boolean {
  return /STOPPING/.test(status ?? "");
}

/** Returns whether a creation or update failed. */
export function hasFailed(status: string | undefined): boolean {
  return /FAILED|STOPPED/.test(status ?? "");
}

/** Polls until no change is in progress, then returns the resource, undefined if it is absent. Throws StillInProgress. */
export async function untilSettled<T extends Life>(
  what: string,
  patience: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (;;) {
    const found = await look();
    if (!found || !isMoving(found.status)) return found;
    if (patience.remaining() <= patience.intervalMs) throw new StillInProgress(what, found.status ?? "");
    await patience.wait(patience.intervalMs);
  }
}

/** Polls until a resource is ACTIVE and returns it. Throws ManagerError with Personalize's reason, or StillInProgress. */
export async function untilActive<T extends Life>(
  what: string,
  patience: Patience,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const found = await untilSettled(what, patience, look);
  if (!found) throw new ManagerError(`${what} was removed while waiting for it: apply again`);
  if (hasFailed(found.status)) throw failed(what, found);
  return found;
}

/** Polls until a resource is deleted. Throws ManagerError if the deletion failed, or StillInProgress. */
export async function untilGone(
  what: string,
  patience: Patience,
  look: () => Promise<Life | undefined>,
): Promise<void> {
  const left = await untilSettled(what, patience, look);
  if (left)
    throw new ManagerError(
      `${what} could not be removed, it is ${left.status}: ${left.failureReason ?? "no reason given"}`,
    );
}

/** Returns the error of a failed resource, with Personalize's reason. */
export function failed(what: string, { status, failureReason }: Life): ManagerError {
  return new ManagerError(`${what} is ${status}: ${failureReason ?? "Personalize gives no reason"}`);
}
