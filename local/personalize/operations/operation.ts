import type * as v from "valibot";
import type { Account } from "../account.ts";
import { read } from "../members.ts";
import { KIND_NAMES, type Kind, type Resource } from "../resources.ts";
import { inUse, ServiceError } from "../service-error.ts";

/** One operation of an API: takes the request's JSON and returns the response's. Throws `ServiceError`. */
export type Operation = (input: unknown, account: Account) => object;

/** Creates an operation that first parses its input by a shape. */
export function operation<Shape extends v.GenericSchema>(
  shape: Shape,
  run: (input: v.InferOutput<Shape>, account: Account) => object,
): Operation {
  return (input, account) => run(read(shape, input), account);
}

/** Converts a time to the API's unit. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** Returns the dates that every description of a resource ends with. */
export function dates({ createdAt, updatedAt }: { createdAt: number; updatedAt: number }) {
  return { creationDateTime: seconds(createdAt), lastUpdatedDateTime: seconds(updatedAt) };
}

/** Returns the status of a resource, with the reason if it failed. */
export function state({ status, failureReason }: Pick<Resource, "status" | "failureReason">) {
  return { status, ...(failureReason !== undefined && { failureReason }) };
}

interface PageInput {
  nextToken?: string | undefined;
  maxResults?: number | undefined;
}

/** Returns one page of resources in order of creation, and the next page's token. Throws InvalidNextTokenException. */
export function page<R extends Resource>(resources: readonly R[], { nextToken, maxResults = 100 }: PageInput) {
  const after = nextToken === undefined ? 0 : readToken(nextToken);
  const rest = resources.filter(({ sequence }) => sequence > after);
  const shown = rest.slice(0, maxResults);
  const last = shown.at(-1);
  return { shown, next: last && rest.length > shown.length ? { nextToken: writeToken(last.sequence) } : {} };
}

function writeToken(sequence: number): string {
  return Buffer.from(`after:${sequence}`).toString("base64url");
}

function readToken(token: string): number {
  const [, sequence] = /^after:(\d+)$/.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (sequence === undefined) throw new ServiceError("InvalidNextTokenException", `Invalid nextToken: ${token}`);
  return Number(sequence);
}

/** Throws ResourceInUseException unless a resource is ACTIVE. */
export function requireActive(resource: Resource): void {
  if (resource.status !== "ACTIVE") {
    throw inUse(`${KIND_NAMES[resource.kind]} ${resource.arn} is not ACTIVE, it is ${resource.status}.`);
  }
}

/** Throws LimitExceededException if the limit is already reached. */
export function requireRoom(present: number, most: number, message: string): void {
  if (present >= most) throw new ServiceError("LimitExceededException", message);
}

/** Starts a deletion. Throws ResourceInUseException while the resource is being created or deleted. */
export function beginDeletion(resource: Resource, account: Account): object {
  if (/PENDING|IN_PROGRESS|STOPPING/.test(resource.status)) {
    throw inUse(`${KIND_NAMES[resource.kind]} ${resource.arn} cannot be deleted while it is ${resource.status}.`);
  }
  resource.status = "DELETE PENDING";
  resource.phaseAt = account.now();
  resource.updatedAt = resource.phaseAt;
  account.changed();
  return {};
}

/** Throws ResourceInUseException if other resources still need this one. */
export function requireUnused(resource: Resource, users: readonly Resource[]): void {
  const [user] = users;
  if (!user) return;
  const more = users.length > 1 ? ` and ${users.length - 1} more` : "";
  throw inUse(
    `${KIND_NAMES[resource.kind]} ${resource.arn} is in use by ${KIND_NAMES[user.kind].toLowerCase()} ${user.arn}${more}. Please delete these first.`,
  );
}

/** Returns the resources of these kinds that belong to a dataset group. */
export function ofGroup(account: Account, groupArn: string, ...kinds: readonly Kind[]): Resource[] {
  return account.all().filter((one) => kinds.includes(one.kind) && "groupArn" in one && one.groupArn === groupArn);
}

/** Returns whether a resource is being created, or its creation is being stopped. */
export function inProgress({ status }: Resource): boolean {
  return status === "CREATE PENDING" || status === "CREATE IN_PROGRESS" || status === "CREATE STOPPING";
}
