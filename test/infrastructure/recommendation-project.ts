import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { ROOT } from "../fixtures/env.ts";
import { type ProjectOptions, type TestProject, testProject } from "./project.ts";

/** The files of the local stack's configuration that belong to the recommendation service. */
const FILES = ["schema", "etl", "solution.yaml", "campaign.yaml", "filter.yaml"];

/** The section of project.yaml that enables the recommendation service. */
export const PERSONALIZE: Change = [
  "project.yaml",
  ["personalize"],
  {
    item_schema_file_path: "schema/item_schema.json",
    user_schema_file_path: "schema/user_schema.json",
    interaction_schema_file_path: "schema/interaction_schema.json",
    etl_configure_file_path: "etl/configure.json",
    force_reprocess_lookback_days: 1,
    log_lookback_days: 365,
  },
];

/** Adds the recommendation service's files to a project's configuration. */
export function addRecommendationFiles({ folder }: Pick<TestProject, "folder">): void {
  for (const file of FILES) cpSync(join(ROOT, "conf.local", file), join(folder, "conf", file), { recursive: true });
}

/** A project with only the recommendation service, and no configuration of the search gateway. */
export async function recommendationProject(options: Omit<ProjectOptions, "configuration">): Promise<TestProject> {
  const project = await testProject({
    ...options,
    configuration: "minimal",
    changes: [
      ["project.yaml", ["vpc"], undefined],
      ["project.yaml", ["opensearch"], undefined],
      ["api.yaml", ["domain_name_system"], null],
      PERSONALIZE,
      ...(options.changes ?? []),
    ],
  });
  for (const file of ["hybrid_search.yaml", "model.yaml"]) rmSync(join(project.folder, "conf", file));
  addRecommendationFiles(project);
  return project;
}
