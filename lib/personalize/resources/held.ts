import { listEventTrackers, listFilters, listImports, listSolutions, listVersions } from "./lists.ts";
import type { Personalize } from "./personalize.ts";
import { isMoving } from "./waiting.ts";

/** Lists what a dataset group contains besides datasets, as in `the solution x`; others may have created it. */
export async function heldByGroup(personalize: Personalize, datasetGroupArn: string): Promise<string[]> {
  const solutions = await listSolutions(personalize, datasetGroupArn);
  const filters = await listFilters(personalize, datasetGroupArn);
  const trackers = await listEventTrackers(personalize, datasetGroupArn);
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
  const imports = await listImports(personalize, datasetArn);
  const found = imports
    .filter(({ status }) => isMoving(status))
    .map(({ jobName, status }) => `the import ${jobName} (${status})`);
  for (const { name, solutionArn } of await listSolutions(personalize, datasetGroupArn)) {
    const moving = (await listVersions(personalize, solutionArn)).filter(({ status }) => isMoving(status));
    found.push(...moving.map(({ status }) => `a training of the solution ${name} (${status})`));
  }
  return found;
}
