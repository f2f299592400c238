import type * as v from "valibot";
import type { SuggestionsEnv } from "../../functions/suggestions/env.ts";
import { clusterPolicy, requestLogPolicy } from "../../functions/suggestions/policy.ts";
import { hasSuggestions, readsRequestLog } from "../../lib/infrastructure/endpoints.ts";
import { aliasArn, suggestions as settings } from "../../lib/infrastructure/functions.ts";
import { lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import type { FunctionNetwork } from "../constructs/network.ts";
import { schedule } from "../constructs/schedule.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { type ClusterVariables, clusterVariables, secretKeysOf } from "./cluster.ts";

type Environment = Omit<v.InferInput<typeof SuggestionsEnv>, "AWS_REGION" | keyof ClusterVariables> & ClusterVariables;

/** Adds the function that builds suggestions, and its schedule, if an index has any. */
export function suggestions(stack: ProjectStack, logKeyArn: string, network: FunctionNetwork): void {
  const { names, input } = stack;
  const { gateway, found } = gatewayInput(input);
  if (!hasSuggestions(gateway)) return;
  const { auth } = gateway.opensearch;
  const anyKey = names.arn("kms", "key/*");
  const values = settings(names);
  const statements = clusterPolicy({
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("suggestions")}`),
    domain: auth?.type === "aws" ? found.domain.arn : undefined,
    secret: auth?.type === "basic" ? auth.master_user_secret_arn : undefined,
    secretKeys: { ...secretKeysOf(stack), anyKey },
  });
  const log = readsRequestLog(gateway) ? requestLogPolicy({ bucket: names.bucketArn(), key: anyKey }) : [];
  const deployed = lambdaFunction(stack, {
    name: "suggestions",
    description: "Builds the suggestions of indexes from titles and the request log",
    ...values,
    environment: { ...clusterVariables(gateway), ...values.environment } satisfies Environment,
    statements: [...statements, ...boundToAliases(stack, log, anyKey, [names.kmsAlias()])],
    logKeyArn,
    network,
  });
  schedule(stack, {
    name: "suggestions",
    description: "Builds suggestions anew",
    expression: "rate(1 hour)",
    role: "suggestions-schedule",
    roleDescription: `Schedule of the suggestions of ${input.config.project.project_name}`,
    target: {
      arn: deployed.alias.arn,
      alias: deployed.alias,
      call: {
        sid: "BuildSuggestions",
        actions: ["lambda:InvokeFunction"],
        resources: [aliasArn(names, "suggestions")],
      },
    },
    // No retry: the next run follows soon, and the suggestions before stay.
    retry: { attempts: 0, seconds: 600 },
    dependsOn: deployed.ready,
  });
}
