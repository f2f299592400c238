import type { Construct } from "constructs";
import type { StackName } from "../lib/platform/naming/names.ts";
import { personalizeResource } from "./constructs/personalize-resource.ts";
import { recommendationInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

/**
 * The filters. A changed expression creates a new filter, waits for it and switches to it before the old one is
 * deleted.
 */
export class FiltersStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    for (const { name: filter, expression } of recommendationInput(input).filters) {
      const name = this.names.filter(filter, expression);
      // The address contains only the filter's name, so a changed expression replaces the resource.
      personalizeResource(this, `filter-${filter}`, {
        // Terraform deletes a resource with its last applied input, which must allow deleting a filter that was removed
        // from filter.yaml while requests still use it.
        desired: { kind: "filter", filter, name, expression, deletable: true },
        suffix: name.slice(this.names.filterPrefix(filter).length),
      });
    }
  }
}
