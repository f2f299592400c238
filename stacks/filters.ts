import type { Construct } from "constructs";
import { personalizeResource } from "./constructs/personalize-resource.ts";
import { recommendationInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

/** Filters of requests. A changed expression is another filter: created, waited for and switched to before the old goes. */
export class FiltersStack extends ProjectStack {
  constructor(scope: Construct, id: "filters", input: StackInput) {
    super(scope, id, input);
    for (const { name: filter, expression } of recommendationInput(input).filters) {
      const name = this.names.filter(filter, expression);
      // Only the filter's name is in the address, so another expression replaces what is there.
      personalizeResource(this, `filter-${filter}`, {
        // Terraform deletes with the input that was applied: one that is taken out of filter.yaml may go although
        // requests still name it.
        desired: { kind: "filter", filter, name, expression, deletable: true },
        suffix: name.slice(this.names.filterPrefix(filter).length),
      });
    }
  }
}
