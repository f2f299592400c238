import type { Names, StateMachineName } from "../core/naming/names.ts";
import { etlStateMachine } from "./etl-states.ts";
import { aliasArn } from "./functions.ts";
import { teardownStateMachine, trainingStateMachine } from "./training-states.ts";

/**
 * Returns the definitions of the recommendation service's state machines.
 *
 * @param maxConcurrency The most calls that a map step makes at the same time.
 */
export function stateMachineDefinitions(
  names: Names,
  maxConcurrency: number,
): Record<StateMachineName, ReturnType<typeof etlStateMachine>> {
  const etl = { functionArn: aliasArn(names, "etl"), bucket: names.bucket(), maxConcurrency };
  const trainingArn = aliasArn(names, "training");
  return {
    etl: etlStateMachine(etl),
    training: trainingStateMachine({ trainingArn, etl }),
    teardown: teardownStateMachine({ trainingArn }),
  };
}
