import type { Account } from "./account.ts";
import { type JobResult, runBatchInference, runDeletion, runImport, runTraining } from "./jobs.ts";
import { isUpdating } from "./operations/operation.ts";
import type { Campaign, Dataset, Kind, Resource, Solution, Update } from "./resources.ts";

/**
 * Moves resources through their states as time passes. There are no timers: every request first brings the account up
 * to date, and an import or a training starts when a request finds it due.
 */
export class Lifecycle {
  #account: Account;
  #jobs = new Map<string, { result?: JobResult; running: Promise<void> }>();
  #failures = new Map<Kind, string[]>();

  constructor(account: Account) {
    this.#account = account;
  }

  /** Makes the creation of the next resource of a kind end in CREATE FAILED. */
  failNext(kind: Kind, reason: string): void {
    this.#failures.set(kind, [...(this.#failures.get(kind) ?? []), reason]);
  }

  settle(): void {
    const now = this.#account.now();
    for (const resource of this.#account.all()) {
      // At most two steps (pending to in progress to the end) if the time of both has passed.
      while (this.#step(resource, now));
      if ("update" in resource) this.#settleUpdate(resource, now);
    }
  }

  /** Settles repeatedly until no work is in progress. */
  async idle(): Promise<void> {
    this.settle();
    while (this.#running().length > 0) {
      await Promise.all(this.#running());
      this.settle();
    }
  }

  /** Forgets running work and drops its results. */
  reset(): void {
    this.#jobs.clear();
    this.#failures.clear();
  }

  #running(): Promise<void>[] {
    return [...this.#jobs.values()].filter(({ result }) => !result).map(({ running }) => running);
  }

  #step(resource: Resource, now: number): boolean {
    const { pending } = this.#account.delays;
    const elapsed = now - resource.phaseAt;
    switch (resource.status) {
      case "CREATE PENDING":
        if (elapsed < pending) return false;
        return this.#enter(resource, "CREATE IN_PROGRESS", resource.phaseAt + pending);
      case "CREATE IN_PROGRESS":
        return this.#finishCreation(resource, now);
      case "CREATE STOPPING":
        if (elapsed < this.#account.delays.working) return false;
        this.#jobs.delete(resource.arn);
        return !this.#enter(resource, "CREATE STOPPED", now);
      case "DELETE PENDING":
        if (elapsed < pending) return false;
        return this.#enter(resource, "DELETE IN_PROGRESS", resource.phaseAt + pending);
      case "DELETE IN_PROGRESS":
        if (elapsed < pending + this.#account.delays.working) return false;
        this.#remove(resource);
        return false;
      default:
        return false;
    }
  }

  #enter(changed: Resource | Update, status: Update["status"], at: number): true {
    changed.status = status;
    changed.updatedAt = at;
    this.#account.changed();
    return true;
  }

  #finishCreation(resource: Resource, now: number): boolean {
    const job = this.#jobFor(resource);
    if (job && !job.result) return false;
    if (now - resource.phaseAt < this.#account.delays.pending + this.#duration(resource.kind)) return false;
    const forced = this.#failures.get(resource.kind)?.shift();
    const failure = forced ?? (job?.result && "failure" in job.result ? job.result.failure : undefined);
    this.#jobs.delete(resource.arn);
    if (failure !== undefined) {
      resource.failureReason = failure;
      return !this.#enter(resource, "CREATE FAILED", now);
    }
    if (job?.result) this.#take(resource, job.result);
    return !this.#enter(resource, "ACTIVE", now);
  }

  #take(resource: Resource, result: JobResult): void {
    if (resource.kind === "dataset-import-job" && "rows" in result) {
      this.#account.importPart(resource, { jobArn: resource.arn, importedAt: this.#account.now(), ...result.rows });
    }
    if (resource.kind === "data-deletion-job" && "users" in result) {
      this.#account.removeUsers(resource.groupArn, result.users);
      resource.numDeleted = result.users.size;
    }
    if (resource.kind === "solution-version" && "model" in result) {
      this.#account.saveModel(resource.arn, result.model);
      resource.metrics = result.metrics;
      resource.trainingHours = result.hours;
    }
  }

  #jobFor(resource: Resource) {
    const known = this.#jobs.get(resource.arn);
    if (known) return known;
    const run = this.#work(resource);
    if (!run) return undefined;
    const job: { result?: JobResult; running: Promise<void> } = { running: Promise.resolve() };
    job.running = run.then((result) => {
      job.result = result;
    });
    this.#jobs.set(resource.arn, job);
    return job;
  }

  #work(resource: Resource): Promise<JobResult> | undefined {
    if (resource.kind === "dataset-import-job") return runImport(this.#account, resource);
    if (resource.kind === "data-deletion-job") return runDeletion(this.#account, resource);
    if (resource.kind === "batch-inference-job") return runBatchInference(this.#account, resource);
    if (resource.kind === "solution-version") return runTraining(this.#account, resource);
    return undefined;
  }

  #duration(kind: Kind): number {
    const { importing, training, deploying, working } = this.#account.delays;
    if (kind.endsWith("-job")) return importing;
    if (kind === "solution-version") return training;
    return kind === "campaign" ? deploying : working;
  }

  /** Advances an update. When it succeeds, the resource gets the new values; if it fails, none. */
  #settleUpdate(resource: Campaign | Solution | Dataset, now: number): void {
    const { update } = resource;
    if (!isUpdating(update)) return;
    const { pending } = this.#account.delays;
    const elapsed = now - update.createdAt;
    if (elapsed < pending) return;
    if (elapsed < pending + this.#duration(resource.kind)) {
      if (update.status === "CREATE PENDING") this.#enter(update, "CREATE IN_PROGRESS", update.createdAt + pending);
      return;
    }
    const failure = this.#failures.get(resource.kind)?.shift();
    if (failure === undefined) {
      takeOver(resource);
      resource.updatedAt = now;
    } else update.failureReason = failure;
    this.#enter(update, failure === undefined ? "ACTIVE" : "CREATE FAILED", now);
  }

  #remove(resource: Resource): void {
    this.#jobs.delete(resource.arn);
    this.#account.remove(resource.arn);
    for (const other of this.#account.all()) {
      const belongs =
        (other.kind === "solution-version" && other.solutionArn === resource.arn) ||
        (other.kind === "batch-inference-job" && other.solutionVersionArn.startsWith(`${resource.arn}/`)) ||
        (other.kind === "data-deletion-job" && other.groupArn === resource.arn) ||
        (other.kind === "dataset-import-job" && other.datasetArn === resource.arn);
      if (belongs) this.#account.remove(other.arn);
    }
  }
}

/** Applies an update's values to a resource. */
function takeOver(resource: Campaign | Solution | Dataset): void {
  switch (resource.kind) {
    case "campaign": {
      const { solutionVersionArn, minProvisionedTPS, campaignConfig } = resource.update ?? resource;
      Object.assign(resource, { solutionVersionArn, minProvisionedTPS, ...(campaignConfig && { campaignConfig }) });
      return;
    }
    case "solution":
      resource.performAutoTraining = resource.update?.performAutoTraining ?? resource.performAutoTraining;
      Object.assign(resource.solutionConfig, resource.update?.solutionUpdateConfig);
      return;
    case "dataset":
      resource.schemaArn = resource.update?.schemaArn ?? resource.schemaArn;
  }
}
