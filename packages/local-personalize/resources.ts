/** The lifecycle states of a resource, as the API's `status` shows them. */
export type Status =
  | "CREATE PENDING"
  | "CREATE IN_PROGRESS"
  | "ACTIVE"
  | "CREATE FAILED"
  | "CREATE STOPPING"
  | "CREATE STOPPED"
  | "DELETE PENDING"
  | "DELETE IN_PROGRESS";

/** A pending change of a resource. The resource keeps its previous values until the change is done. */
export interface Update {
  status: Status;
  createdAt: number;
  updatedAt: number;
  failureReason?: string;
}

interface Base {
  arn: string;
  name: string;
  /** In milliseconds, like every time here. The API uses seconds. */
  createdAt: number;
  updatedAt: number;
  /** When the current phase (creation or deletion) began. */
  phaseAt: number;
  status: Status;
  failureReason?: string;
  /** Position in the order of creation. Lists are sorted by it. */
  sequence: number;
  tags: Record<string, string>;
}

export interface DatasetGroup extends Base {
  kind: "dataset-group";
  roleArn?: string;
  kmsKeyArn?: string;
}

/** Schemas have no status in the API; here they are ACTIVE from the start. */
export interface Schema extends Base {
  kind: "schema";
  schema: string;
}

export const DATASET_TYPES = ["INTERACTIONS", "ITEMS", "USERS"] as const;
export type DatasetType = (typeof DATASET_TYPES)[number];

export interface Dataset extends Base {
  kind: "dataset";
  groupArn: string;
  datasetType: DatasetType;
  schemaArn: string;
  update?: Update & { schemaArn: string };
}

export type ImportMode = "FULL" | "INCREMENTAL";

export interface ImportJob extends Base {
  kind: "dataset-import-job";
  datasetArn: string;
  dataLocation: string;
  roleArn: string;
  importMode: ImportMode;
}

/** Removes the users that CSV files list from all datasets of a group. */
export interface DataDeletionJob extends Base {
  kind: "data-deletion-job";
  groupArn: string;
  dataLocation: string;
  roleArn: string;
  /** The number of users in the files. */
  numDeleted?: number;
}

/** Writes recommendations for each line of a file in S3 to an output file. */
export interface BatchInferenceJob extends Base {
  kind: "batch-inference-job";
  solutionVersionArn: string;
  filterArn?: string;
  numResults: number;
  jobInput: { s3DataSource: S3Place };
  jobOutput: { s3DataDestination: S3Place };
  batchInferenceJobConfig?: Record<string, unknown>;
  roleArn: string;
}

interface S3Place {
  path: string;
  kmsKeyArn?: string | undefined;
}

export interface EventTracker extends Base {
  kind: "event-tracker";
  groupArn: string;
  trackingId: string;
}

export interface Filter extends Base {
  kind: "filter";
  groupArn: string;
  expression: string;
}

export interface SolutionConfig {
  eventValueThreshold?: string | undefined;
  algorithmHyperParameters?: Record<string, string> | undefined;
  featureTransformationParameters?: Record<string, string> | undefined;
  eventsConfig?:
    | {
        eventParametersList?:
          | {
              eventType?: string | undefined;
              eventValueThreshold?: number | undefined;
              weight?: number | undefined;
            }[]
          | undefined;
      }
    | undefined;
  trainingDataConfig?: { excludedDatasetColumns?: Record<string, string[]> | undefined } | undefined;
  autoTrainingConfig?: { schedulingExpression?: string | undefined } | undefined;
}

export interface Solution extends Base {
  kind: "solution";
  groupArn: string;
  recipeArn: string;
  performHPO: boolean;
  performAutoTraining: boolean;
  eventType?: string;
  solutionConfig: SolutionConfig;
  update?: Update & {
    solutionUpdateConfig?: Pick<SolutionConfig, "autoTrainingConfig" | "eventsConfig">;
    performAutoTraining?: boolean;
  };
}

export type TrainingMode = "FULL" | "UPDATE";

export interface SolutionVersion extends Base {
  kind: "solution-version";
  solutionArn: string;
  trainingMode: TrainingMode;
  /** Whether the caller chose the name. A generated name is not shown. */
  named: boolean;
  trainingHours?: number;
  metrics?: Record<string, number>;
}

export interface CampaignSettings {
  solutionVersionArn: string;
  minProvisionedTPS: number;
  campaignConfig?: Record<string, unknown>;
}

export interface Campaign extends Base, CampaignSettings {
  kind: "campaign";
  update?: Update & CampaignSettings;
}

export type Resource =
  | DatasetGroup
  | Schema
  | Dataset
  | ImportJob
  | DataDeletionJob
  | BatchInferenceJob
  | EventTracker
  | Filter
  | Solution
  | SolutionVersion
  | Campaign;

export type Kind = Resource["kind"];
export type OfKind<K extends Kind> = Extract<Resource, { kind: K }>;

/** Returns the service's name for a kind in its messages, such as "Dataset group". */
export function kindName(kind: Kind): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("-", " ")}`;
}

/** Returns the member of the API that stands for a resource of this kind, such as `datasetGroup`. */
export function memberOf(kind: Kind): string {
  return kind.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
