// A deployment by somebody who lacks one action that `relevance permissions` prints.
import * as assert from "uvu/assert";
import { seeded, shuffled } from "../../lib/platform/statistics/random.ts";
import { ACCOUNT_ID } from "../../packages/local-aws/cloud/account.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { printedPolicies } from "../fixtures/deployer.ts";
import { gatewayStory } from "../fixtures/deployment-stories.ts";
import { takenOut } from "../fixtures/taken-out.ts";
import { suite } from "../suite.ts";

const test = suite("a missing permission of the deployer");

const SEED = 12;
const SID = "Bucket";

/** Returns the actions with which a first deployment creates the bucket and writes to it. */
function actions(): string[] {
  const statements = printedPolicies(configuration("minimal"), ACCOUNT_ID).flatMap(
    (policy): { Sid: string; Action: string[] }[] => JSON.parse(policy).Statement,
  );
  const { Action = [] } = statements.find(({ Sid }) => Sid === SID) ?? {};
  return Action.filter((action) => /:(Create|Put)/.test(action));
}

test("fails the deploy with a message that names the action", async () => {
  const [action = "none"] = shuffled(actions(), seeded(SEED));
  const { missed, outcome } = await takenOut(gatewayStory, { role: "deployer", sid: SID, action });
  assert.ok(missed, `${action}:\n${outcome.refused.join("\n")}\n${outcome.printed}`);
  assert.ok(outcome.failed);
  assert.match(outcome.printed ?? "", "`relevance permissions` prints all required ones");
});

test.run();
