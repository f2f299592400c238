import { TerraformOutput } from "cdktf";
import type { Construct } from "constructs";
import type { StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

export class SearchGatewayStack extends ProjectStack {
  constructor(scope: Construct, id: "search-gateway", input: StackInput) {
    super(scope, id, input);
    new TerraformOutput(this, "api_url", { value: "" });
  }
}
