import type { ITerraformDependable } from "cdktf";
import type { Construct } from "constructs";
import { DATASETS } from "../lib/config/avro.ts";
import type { StackName } from "../lib/core/naming/names.ts";
import { logKey } from "./constructs/log-key.ts";
import { personalizeResource, present } from "./constructs/personalize-resource.ts";
import { recommendationInput, type StackInput } from "./input.ts";
import { importRole } from "./personalization/import-role.ts";
import { managerFunction } from "./personalization/manager.ts";
import { ProjectStack } from "./project-stack.ts";

/** The Personalize resources (dataset group, schemas, datasets, event tracker) and the function that manages them. */
export class PersonalizationStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const manager = managerFunction(this, logKey(this, "personalization").arn);
    // Each resource depends on all of these, which must exist from the first invocation to the last.
    this.resources([...manager.ready, ...importRole(this)]);
    this.output("manager_role_arn", manager.role.arn);
  }

  private resources(ready: readonly ITerraformDependable[]): void {
    const { names } = this;
    const { schemas } = recommendationInput(this.input);
    const group = personalizeResource(this, "dataset-group", {
      desired: { kind: "dataset_group", name: names.datasetGroup() },
      dependsOn: ready,
    });
    const datasets = DATASETS.map((dataset) => {
      const name = names.schema(dataset, schemas[dataset]);
      const schema = personalizeResource(this, `schema-${dataset}`, {
        desired: { kind: "schema", name, schema: schemas[dataset] },
        dependsOn: ready,
      });
      return personalizeResource(this, `dataset-${dataset}`, {
        desired: { kind: "dataset", name: names.dataset(dataset), dataset, schema: name },
        dependsOn: [...ready, ...present([group, schema])],
      });
    });
    personalizeResource(this, "event-tracker", {
      desired: { kind: "event_tracker", name: names.eventTracker() },
      // Personalize stores tracked events in a separate dataset.
      dependsOn: [...ready, ...present([group, ...datasets])],
    });
  }
}
