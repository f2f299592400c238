import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, PAGE, read } from "../members.ts";
import { type Kind, kindName, memberOf, type OfKind, type Resource, type Update } from "../resources.ts";
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

/** Creates an operation on the resource whose ARN is the only input. */
export function onResource<K extends Kind>(kind: K, run: (resource: OfKind<K>, account: Account) => object): Operation {
  const member = `${memberOf(kind)}Arn`;
  return operation(v.strictObject({ [member]: ARN }), (input, account) =>
    run(account.find(kind, String(input[member])), account),
  );
}

/** Creates an operation that describes a resource. */
export function describing<K extends Kind>(
  kind: K,
  describe: (resource: OfKind<K>, account: Account) => object,
): Operation {
  return onResource(kind, (resource, account) => ({ [memberOf(kind)]: describe(resource, account) }));
}

/** The resource to which listed resources belong: the input member with its ARN, and its kind if it must exist. */
interface Owner<R> {
  member: string;
  owns(arn: string, resource: R): boolean;
  kind?: Kind;
}

/** Creates an operation that lists the resources of a kind in pages: all of them, or those that belong to an owner. */
export function listing<K extends Kind>(
  kind: K,
  summary: (resource: OfKind<K>) => object,
  owner?: Owner<OfKind<K>>,
  name = `${memberOf(kind)}s`,
): Operation {
  const shape = v.strictObject({ ...PAGE, ...(owner && { [owner.member]: v.optional(ARN) }) });
  return operation(shape, (input, account) => {
    const arn = owner && (input as Record<string, unknown>)[owner.member]?.toString();
    if (arn !== undefined && owner?.kind) account.find(owner.kind, arn);
    const own = account.list(kind).filter((one) => arn === undefined || owner?.owns(arn, one));
    const { shown, next } = page(own, input);
    return { [name]: shown.map(summary), ...next };
  });
}

/** Lists by dataset group. */
export const BY_GROUP = {
  member: "datasetGroupArn",
  owns: (arn: string, { groupArn }: { groupArn: string }) => arn === groupArn,
};

/** Returns the dates at the end of every description of a resource, in the API's unit. */
export function dates({ createdAt, updatedAt }: Pick<Update, "createdAt" | "updatedAt">) {
  return { creationDateTime: createdAt / 1000, lastUpdatedDateTime: updatedAt / 1000 };
}

/** Returns the status of a resource, with the reason if it failed. */
export function state({ status, failureReason }: Pick<Update, "status" | "failureReason">) {
  return { status, ...(failureReason !== undefined && { failureReason }) };
}

/** Returns the members that most descriptions share: name, ARN, status and dates. */
export function summaryOf(resource: Resource) {
  const { kind, name, arn } = resource;
  return { name, [`${memberOf(kind)}Arn`]: arn, ...state(resource), ...dates(resource) };
}

/** Returns the description of an update. */
export function updateSummary({ createdAt, updatedAt, ...update }: Update) {
  return { ...update, ...dates({ createdAt, updatedAt }) };
}

/** Starts an update. The resource keeps its current values until the update is done. */
export function beginUpdate<Settings extends object>(
  resource: { update?: Update & Settings },
  settings: Settings,
  account: Account,
): void {
  const now = account.now();
  resource.update = { ...settings, status: "CREATE PENDING", createdAt: now, updatedAt: now };
  account.changed();
}

/** Returns whether an update is not done yet. */
export function isUpdating(update: Update | undefined): update is Update {
  return update !== undefined && /PENDING|IN_PROGRESS/.test(update.status);
}

/** Returns one page of resources in order of creation, and the next page's token. Throws InvalidNextTokenException. */
export function page<R extends { sequence: number }>(
  resources: readonly R[],
  { nextToken, maxResults = 100 }: { nextToken?: string | undefined; maxResults?: number | undefined },
) {
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
    throw inUse(`${kindName(resource.kind)} ${resource.arn} is not ACTIVE, it is ${resource.status}.`);
  }
}

/** Throws LimitExceededException if the maximum number of resources of a kind is already being created. */
export function requireRoom(account: Account, kind: Kind, most: number): void {
  if (account.list(kind).filter(inProgress).length < most) return;
  throw new ServiceError("LimitExceededException", `More than ${most} resources with PENDING or IN_PROGRESS status.`);
}

/** Starts a deletion. Throws ResourceInUseException while the resource is being created or deleted. */
export function beginDeletion(resource: Resource, account: Account): object {
  if (/PENDING|IN_PROGRESS|STOPPING/.test(resource.status)) {
    throw inUse(`${kindName(resource.kind)} ${resource.arn} cannot be deleted while it is ${resource.status}.`);
  }
  return beginPhase(resource, "DELETE PENDING", account);
}

/** Starts the next phase of a resource's life. */
export function beginPhase(resource: Resource, status: Resource["status"], account: Account): object {
  const now = account.now();
  Object.assign(resource, { status, phaseAt: now, updatedAt: now });
  account.changed();
  return {};
}

/** Throws ResourceInUseException if other resources still need this one. */
export function requireUnused(resource: Resource, users: readonly Resource[]): void {
  const [user] = users;
  if (!user) return;
  const more = users.length > 1 ? ` and ${users.length - 1} more` : "";
  throw inUse(
    `${kindName(resource.kind)} ${resource.arn} is in use by ${kindName(user.kind).toLowerCase()} ${user.arn}${more}. Please delete these first.`,
  );
}

/** Returns whether a resource is being created, or its creation is being stopped. */
export function inProgress({ status }: Resource): boolean {
  return status === "CREATE PENDING" || status === "CREATE IN_PROGRESS" || status === "CREATE STOPPING";
}
