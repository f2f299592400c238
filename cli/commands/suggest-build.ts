import * as v from "valibot";
import { hasSuggestions } from "../../lib/infrastructure/endpoints.ts";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import { LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import { type BuiltSuggestions, BuiltSuggestions as Schema } from "../../lib/search/suggest/run.ts";
import { confOf, defineCommand } from "../command.ts";
import { local } from "../options.ts";
import { inAccount, openSession, type Project } from "../project.ts";
import { reading } from "../recommendation/target.ts";

/** Longer than the function may take. */
const WAIT_MS = 910_000;

/** `relevance suggest build`: runs the function that builds suggestions now, which a schedule does each hour. */
export const command = defineCommand({
  example: "relevance suggest build\n  relevance suggest build --local",
  json: true,
  options: local,
  run: async ({ conf, local, json }, context) => {
    const session = await openSession(confOf({ conf, local }), context);
    if (!session.config.searchGateway || !hasSuggestions(session.config.searchGateway)) {
      throw new UsageError("No entry of hybrid_search.yaml has `suggest`, so there is nothing to suggest");
    }
    const built = await invoked(await inAccount(session, local));
    const { terminal } = context;
    if (json) terminal.printJson({ built });
    else for (const one of built) terminal.print(lineOf(one));
  },
});

const Result = v.object({ built: v.array(Schema) });

async function invoked({ names, sdk }: Project): Promise<BuiltSuggestions[]> {
  const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  // A repeated call would run the function a second time.
  const lambda = new LambdaClient({ ...sdk, maxAttempts: 1, requestHandler: { requestTimeout: WAIT_MS } });
  const call = new InvokeCommand({ FunctionName: names.function("suggestions"), Qualifier: LIVE_ALIAS });
  const sent = lambda.send(call).catch((error: unknown) => {
    if (failureKind(error) !== "absent") throw error;
    throw new Failure("The function `suggestions` is not deployed: run `relevance deploy`");
  });
  const { Payload, FunctionError } = await reading("lambda:InvokeFunction", sent);
  const payload = parseJson(Buffer.from(Payload ?? []).toString("utf8"));
  const result = v.safeParse(Result, payload);
  if (FunctionError === undefined && result.success) return result.output.built;
  const told = v.safeParse(v.object({ errorMessage: v.string() }), payload);
  const why = told.success ? told.output.errorMessage : JSON.stringify(payload)?.slice(0, 500);
  throw new Failure(`${why}. See the log ${names.functionLogGroup("suggestions")}`);
}

function lineOf(built: BuiltSuggestions): string {
  const { index, searches, titles, days, damaged, titles_cut, kept, left_out } = built;
  const without = damaged === undefined ? "" : ` without ${damaged} damaged objects`;
  const from = days === undefined ? "" : ` from ${days} days of the request log${without}`;
  const left = left_out === undefined ? "" : `; none of searches, since ${left_out}`;
  const cut = titles_cut ? ", for more of which there was no time" : "";
  const old = kept ? "; the suggestions before stay, since they have more titles" : "";
  return `${index}: ${searches} searches${from} and ${titles} titles${cut}${old}${left}`;
}
