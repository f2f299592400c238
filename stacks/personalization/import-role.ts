import type { ITerraformDependable } from "cdktf";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { useProjectKey } from "../constructs/keys.ts";
import type { ProjectStack } from "../project-stack.ts";

/**
 * Adds the role with which Personalize reads ETL's output. Personalize also requires that the policies of bucket and
 * key, in the stack `storage`, allow the service.
 */
export function importRole(stack: ProjectStack): ITerraformDependable[] {
  const { names, input } = stack;
  const role = serviceRole(stack, "import-role", {
    name: names.role("personalize"),
    description: `Personalize reads the training data of ${input.config.project.project_name}`,
    service: "personalize.amazonaws.com",
    conditions: {
      StringEquals: { "aws:SourceAccount": input.discovery.account },
      ArnLike: { "aws:SourceArn": names.arn("personalize", "*") },
    },
  });
  const policy = rolePolicy(stack, "import-policy", role, [
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [names.bucketArn()] },
    { sid: "ReadRuns", actions: ["s3:GetObject"], resources: [`${names.bucketArn()}/${PREFIXES.etl}*`] },
    useProjectKey(stack, ["kms:Decrypt"]),
  ]);
  return [role, policy];
}
