import { randomUUID } from "node:crypto";
import { type DatasetSchema, parseSchema } from "./data/avro-schema.ts";
import type { ObjectReader } from "./data/csv-import.ts";
import { DatasetData } from "./data/dataset-data.ts";
import type { LiveRow, Part } from "./data/rows.ts";
import type { Storage } from "./data/storage.ts";
import { indexModel, type ModelIndex } from "./learn/answer.ts";
import type { Model } from "./learn/train.ts";
import { withoutUsers } from "./learn/training-set.ts";
import { type DatasetType, type Kind, kindName, memberOf, type OfKind, type Resource } from "./resources.ts";
import { ServiceError } from "./service-error.ts";

/** The simulated durations, in milliseconds. An import or a training also takes at least as long as its actual work. */
export interface Delays {
  /** Time spent in CREATE PENDING or DELETE PENDING. */
  pending: number;
  /** Time spent in CREATE IN_PROGRESS or DELETE IN_PROGRESS, except for the cases below. */
  working: number;
  importing: number;
  training: number;
  deploying: number;
}

export interface AccountOptions {
  accountId: string;
  region: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  delays: Delays;
  objects: ObjectReader;
  storage: Storage;
}

type New<K extends Kind> = Omit<
  OfKind<K>,
  "arn" | "createdAt" | "updatedAt" | "phaseAt" | "sequence" | "status" | "tags"
>;

interface CreationOptions {
  tags?: readonly { tagKey: string; tagValue: string }[] | undefined;
  /** A quota: number of existing resources that count, and the limit. */
  quota?: { present: number; most: number; message?: string };
}

const MOST_TAGS = 50;

/** Returns a resource's tags with `added` merged in. Throws TooManyTagsException above the service's limit. */
export function withTags(
  present: Readonly<Record<string, string>>,
  added: readonly { tagKey: string; tagValue: string }[],
): Record<string, string> {
  const tags = { ...present, ...Object.fromEntries(added.map(({ tagKey, tagValue }) => [tagKey, tagValue])) };
  const count = Object.keys(tags).length;
  if (count <= MOST_TAGS) return tags;
  throw new ServiceError("TooManyTagsException", `A resource has at most ${MOST_TAGS} tags, these would be ${count}.`);
}

/** The contents of one account in one region: resources, dataset rows and trained models. */
export class Account {
  readonly accountId: string;
  readonly region: string;
  readonly now: () => number;
  readonly delays: Delays;
  readonly objects: ObjectReader;
  #storage: Storage;
  #resources = new Map<string, Resource>();
  #sequence = 0;
  #data = new Map<string, DatasetData>();
  #models = new Map<string, ModelIndex>();
  #changed = false;

  constructor(options: AccountOptions) {
    this.accountId = options.accountId;
    this.region = options.region;
    this.now = options.now;
    this.delays = options.delays;
    this.objects = options.objects;
    this.#storage = options.storage;
    const stored = this.#storage.loadResources();
    this.#sequence = stored?.sequence ?? 0;
    for (const resource of stored?.resources ?? []) this.#resources.set(resource.arn, resource);
  }

  arn(path: string): string {
    return `arn:aws:personalize:${this.region}:${this.accountId}:${path}`;
  }

  /** Returns a random ID for the last part of an ARN that the service generates. */
  newId(): string {
    return randomUUID().slice(0, 8);
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  /** Returns the resources of a kind in order of creation. */
  list<K extends Kind>(kind: K): OfKind<K>[] {
    return this.all().filter((resource): resource is OfKind<K> => resource.kind === kind);
  }

  get(arn: string): Resource | undefined {
    return this.#resources.get(arn);
  }

  /** Returns the resource of a kind with this ARN. Throws ResourceNotFoundException if there is none. */
  find<K extends Kind>(kind: K, arn: string): OfKind<K> {
    const resource = this.#resources.get(arn);
    if (resource?.kind !== kind) {
      throw new ServiceError("ResourceNotFoundException", `${kindName(kind)} with ARN ${arn} does not exist.`);
    }
    return resource as OfKind<K>;
  }

  /**
   * Adds a resource and returns its ARN under the name that the API gives it. Throws ResourceAlreadyExistsException if
   * the ARN is taken, LimitExceededException at the quota, TooManyTagsException above 50 tags.
   */
  add<K extends Kind>(
    resource: New<K> & { kind: K; arn?: string },
    { tags = [], quota }: CreationOptions = {},
  ): Record<string, string> {
    const { kind, name, arn = this.arn(`${kind}/${name}`) } = resource;
    if (this.#resources.has(arn)) {
      throw new ServiceError(
        "ResourceAlreadyExistsException",
        `Another resource with Arn ${arn} already exists. Please try again after deleting the existing resource.`,
      );
    }
    if (quota && quota.present >= quota.most) {
      const { most, message = `More than ${most} resources in ACTIVE state. Please delete some and try again.` } =
        quota;
      throw new ServiceError("LimitExceededException", message);
    }
    const now = this.now();
    this.#sequence += 1;
    this.#resources.set(arn, {
      ...resource,
      arn,
      createdAt: now,
      updatedAt: now,
      phaseAt: now,
      sequence: this.#sequence,
      status: kind === "schema" ? "ACTIVE" : "CREATE PENDING",
      tags: withTags({}, tags),
    } as Resource);
    this.changed();
    return { [`${memberOf(kind)}Arn`]: arn };
  }

  remove(arn: string): void {
    this.#resources.delete(arn);
    this.#data.delete(arn);
    this.#models.delete(arn);
    this.changed();
  }

  /** Marks the resources as changed, so that `flush` stores them at the end of the request. */
  changed(): void {
    this.#changed = true;
  }

  /** Stores the resources if any changed. Their data and models are already stored by then. */
  flush(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#storage.saveResources(this.all(), this.#sequence);
    this.#storage.keepOnly([...this.#resources.keys()]);
  }

  /** Deletes everything, in memory and in storage. */
  clear(): void {
    this.#resources.clear();
    this.#data.clear();
    this.#models.clear();
    this.#changed = false;
    this.#storage.clear();
  }

  datasetOf(groupArn: string, type: DatasetType): OfKind<"dataset"> | undefined {
    return this.list("dataset").find((dataset) => dataset.groupArn === groupArn && dataset.datasetType === type);
  }

  schemaOf(dataset: OfKind<"dataset">): DatasetSchema {
    return parseSchema(this.find("schema", dataset.schemaArn).schema);
  }

  data(datasetArn: string): DatasetData {
    const known = this.#data.get(datasetArn);
    if (known) return known;
    const { parts, live } = this.#storage.loadDataset(datasetArn);
    const data = new DatasetData(parts, live);
    this.#data.set(datasetArn, data);
    return data;
  }

  importPart(job: OfKind<"dataset-import-job">, part: Part): void {
    const data = this.data(job.datasetArn);
    data.import(job.importMode, part);
    this.#storage.saveParts(job.datasetArn, data.parts);
  }

  addLive(dataset: OfKind<"dataset">, rows: readonly LiveRow[], idColumn: string): void {
    this.data(dataset.arn).addLive(rows, idColumn);
    this.#storage.appendLive(dataset.arn, rows);
  }

  /** Removes users from the datasets and models of a group. */
  removeUsers(groupArn: string, ids: ReadonlySet<string>): void {
    for (const { arn } of this.list("dataset").filter((dataset) => dataset.groupArn === groupArn)) {
      const data = this.data(arn);
      data.removeUsers(ids);
      this.#storage.saveParts(arn, data.parts);
      this.#storage.saveLive(arn, data.live);
    }
    for (const { arn, solutionArn } of this.list("solution-version")) {
      if (this.find("solution", solutionArn).groupArn !== groupArn) continue;
      const known = this.model(arn)?.model;
      if (known?.set.users.some((id) => ids.has(id)))
        this.saveModel(arn, { ...known, set: withoutUsers(known.set, ids) });
    }
  }

  saveModel(versionArn: string, model: Model): void {
    this.#storage.saveModel(versionArn, model);
    this.#models.set(versionArn, indexModel(model));
  }

  model(versionArn: string): ModelIndex | undefined {
    const known = this.#models.get(versionArn);
    if (known) return known;
    const stored = this.#storage.loadModel(versionArn) as Model | undefined;
    if (!stored) return undefined;
    const index = indexModel(stored);
    this.#models.set(versionArn, index);
    return index;
  }
}
