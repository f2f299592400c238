import {
  type $Command,
  type DatasetImportJobSummary,
  DescribeSolutionVersionCommand,
  type EventTrackerSummary,
  type FilterSummary,
  ListDatasetImportJobsCommand,
  ListEventTrackersCommand,
  ListFiltersCommand,
  ListSolutionsCommand,
  ListSolutionVersionsCommand,
  type PersonalizeClient,
  type PersonalizeClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  type SolutionSummary,
  type SolutionVersion,
  type SolutionVersionSummary,
} from "@aws-sdk/client-personalize";
import { ignoreNotFound, isNamed, isTransient } from "../../platform/aws/errors.ts";
import { abortAt, type Deadline, deadlineWithin, retry } from "../../platform/resilience/deadline.ts";

/** A request that the manager cannot fulfil. `terraform apply` shows its message: what is wrong and what to do. */
export class ManagerError extends Error {
  override name = "ManagerError";
}

/** A change that is still in progress when the invocation ends. Repeating the call resumes the wait. */
export class StillInProgress extends Error {
  override name = "StillInProgress";

  /** `status` is Personalize's; the message starts with "<what> is still <status>". */
  constructor(what: string, status: string) {
    super(`${what} is still ${status}: apply again; it resumes where it stopped`);
  }
}

/** The control plane of Personalize. It retries transient failures: every operation used here is idempotent. */
export interface Personalize {
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: $Command<Input, Output, PersonalizeClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
  ): Promise<Output>;
}

/** Time limit of one call with its retries. Personalize allows an account few control plane calls per second. */
const CALL_MS = 60_000;
const ATTEMPTS = 8;

interface CallOptions {
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

/** Returns the solution version; undefined if there is none. */
export async function describeVersion(
  personalize: Personalize,
  solutionVersionArn: string,
): Promise<SolutionVersion | undefined> {
  const command = new DescribeSolutionVersionCommand({ solutionVersionArn });
  return (await ignoreNotFound(personalize.send(command)))?.solutionVersion;
}

/** Returns the entries of all pages of a list. */
export async function allPages<Page extends { nextToken?: string | undefined }, T>(
  read: (nextToken: string | undefined) => Promise<Page>,
  entries: (page: Page) => readonly T[] | undefined,
): Promise<T[]> {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const page = await read(token);
    found.push(...(entries(page) ?? []));
    token = page.nextToken;
  } while (token !== undefined);
  return found;
}

/** Lists the solutions of a dataset group. */
export const listSolutions = (personalize: Personalize, datasetGroupArn: string): Promise<SolutionSummary[]> =>
  allPages(
    (nextToken) => personalize.send(new ListSolutionsCommand({ datasetGroupArn, nextToken })),
    ({ solutions }) => solutions,
  );

/** Lists the filters of a dataset group. */
export const listFilters = (personalize: Personalize, datasetGroupArn: string): Promise<FilterSummary[]> =>
  allPages(
    (nextToken) => personalize.send(new ListFiltersCommand({ datasetGroupArn, nextToken })),
    ({ Filters }) => Filters,
  );

/** Lists the event trackers of a dataset group, which has at most one. */
export const listEventTrackers = (personalize: Personalize, datasetGroupArn: string): Promise<EventTrackerSummary[]> =>
  allPages(
    (nextToken) => personalize.send(new ListEventTrackersCommand({ datasetGroupArn, nextToken })),
    ({ eventTrackers }) => eventTrackers,
  );

/** Lists the imports of a dataset; none if there is no such dataset. */
export async function listImports(personalize: Personalize, datasetArn: string): Promise<DatasetImportJobSummary[]> {
  const jobs = allPages(
    (nextToken) => personalize.send(new ListDatasetImportJobsCommand({ datasetArn, nextToken })),
    ({ datasetImportJobs }) => datasetImportJobs,
  );
  return (await ignoreNotFound(jobs)) ?? [];
}

/** Lists the versions of a solution; none if there is no such solution. */
export async function listVersions(
  personalize: Personalize,
  solutionArn: string | undefined,
): Promise<SolutionVersionSummary[]> {
  const versions = allPages(
    (nextToken) => personalize.send(new ListSolutionVersionsCommand({ solutionArn, nextToken })),
    ({ solutionVersions }) => solutionVersions,
  );
  return (await ignoreNotFound(versions)) ?? [];
}

/** Tags of a resource, by key. */
export type Tags = Readonly<Record<string, string>>;

/** Returns tags in the form that create operations accept. */
export function tagList(tags: Tags): { tagKey: string; tagValue: string }[] {
  return Object.entries(tags).map(([tagKey, tagValue]) => ({ tagKey, tagValue }));
}
