import {
  type DatasetImportJobSummary,
  type EventTrackerSummary,
  type FilterSummary,
  ListDatasetImportJobsCommand,
  ListEventTrackersCommand,
  ListFiltersCommand,
  ListSolutionsCommand,
  ListSolutionVersionsCommand,
  type SolutionSummary,
  type SolutionVersionSummary,
} from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import type { Personalize } from "./personalize.ts";

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
  return (await ifThere(jobs)) ?? [];
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
  return (await ifThere(versions)) ?? [];
}
