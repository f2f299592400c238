import {
  ListDatasetImportJobsCommand,
  ListEventTrackersCommand,
  ListFiltersCommand,
  ListSolutionsCommand,
  ListSolutionVersionsCommand,
} from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import { allPages, type Personalize } from "./personalize.ts";
import { isMoving } from "./waiting.ts";

/** Lists what a dataset group contains besides datasets, as in `the solution x`; others may have created it. */
export async function heldByGroup(personalize: Personalize, datasetGroupArn: string): Promise<string[]> {
  const solutions = await solutionsOf(personalize, datasetGroupArn);
  const filters = await allPages(
    (nextToken) => personalize.send(new ListFiltersCommand({ datasetGroupArn, nextToken })),
    (page) => page.Filters,
  );
  const trackers = await allPages(
    (nextToken) => personalize.send(new ListEventTrackersCommand({ datasetGroupArn, nextToken })),
    (page) => page.eventTrackers,
  );
  return [
    ...solutions.map(({ name }) => `the solution ${name}`),
    ...filters.map(({ name }) => `the filter ${name}`),
    ...trackers.map(({ name }) => `the event tracker ${name}`),
  ];
}

/** Lists the imports and trainings that are using a dataset, as in `the import x (CREATE IN_PROGRESS)`. */
export async function busyWith(
  personalize: Personalize,
  { datasetGroupArn, datasetArn }: { datasetGroupArn: string; datasetArn: string },
): Promise<string[]> {
  const imports = await ifThere(
    allPages(
      (nextToken) => personalize.send(new ListDatasetImportJobsCommand({ datasetArn, nextToken })),
      (page) => page.datasetImportJobs,
    ),
  );
  const found = (imports ?? [])
    .filter(({ status }) => isMoving(status))
    .map(({ jobName, status }) => `the import ${jobName} (${status})`);
  for (const { name, solutionArn } of await solutionsOf(personalize, datasetGroupArn)) {
    const versions = await ifThere(
      allPages(
        (nextToken) => personalize.send(new ListSolutionVersionsCommand({ solutionArn, nextToken })),
        (page) => page.solutionVersions,
      ),
    );
    const moving = (versions ?? []).filter(({ status }) => isMoving(status));
    found.push(...moving.map(({ status }) => `a training of the solution ${name} (${status})`));
  }
  return found;
}

function solutionsOf(personalize: Personalize, datasetGroupArn: string) {
  return allPages(
    (nextToken) => personalize.send(new ListSolutionsCommand({ datasetGroupArn, nextToken })),
    (page) => page.solutions,
  );
}
