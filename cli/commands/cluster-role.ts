import { clusterRoles, roleCalls } from "../apply/cluster-roles.ts";
import { defineCommand } from "../command.ts";
import { inAccount, namesIn, openSession } from "../project.ts";

/** `relevance cluster-role`: prints what makes each function that calls the cluster known to it, as a role of its own. */
export const command = defineCommand({
  example: "relevance cluster-role --conf conf",
  options: {},
  run: async ({ conf }, context) => {
    const session = await openSession(conf, context);
    const { account_id: account } = session.config.project.aws;
    const names = account === undefined ? (await inAccount(session)).names : namesIn(session, account);
    const signs = session.config.searchGateway?.opensearch.auth?.type === "aws";
    const roles = signs ? clusterRoles(session.config, names) : [];
    for (const call of roleCalls(roles)) context.terminal.print(call);
    context.terminal.note(
      roles.length === 0
        ? "No function of this configuration signs requests to a cluster (opensearch.auth.type of project.yaml is not aws)."
        : "Send these calls as an administrator of the cluster, for example in the Dev Tools of OpenSearch Dashboards. " +
            "`relevance deploy` then says which roles each function has there.",
    );
  },
});
