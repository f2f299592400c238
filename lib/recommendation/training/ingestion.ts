import { comparableDays, secondsUntilStored } from "../clients/accepted-events.ts";
import { daysUntil } from "../etl/plan.ts";
import { afterEtl, linesRead } from "./arrivals.ts";
import type { Begun } from "./begin.ts";
import { type Readiness, type TrainingContext, TrainingError } from "./context.ts";

/**
 * Polls until every event accepted before the training began has left the ingestion buffer. Does not wait for later
 * events, or a service under load would keep it waiting forever.
 */
export async function awaitIngestion(
  run: string,
  { startedAt }: Pick<Begun, "startedAt">,
  context: TrainingContext,
): Promise<Readiness> {
  const accepted = await context.accepted(daysUntil(startedAt, context.logLookbackDays).slice(-2));
  const last = accepted.last === undefined ? undefined : Math.min(accepted.last, Date.parse(startedAt));
  const seconds = secondsUntilStored({ ...accepted, last }, context.bufferSeconds, context.now());
  const ready = seconds === 0;
  await context.state.note(run, {
    step: ready ? "etl" : "ingestion",
    detail: ready ? "events, users and items are read" : `waiting ${seconds} s for the last events to be stored`,
    recipes: [],
  });
  return { ready, seconds };
}

/**
 * Checks whether ETL has read every event accepted before the training began. Throws TrainingError when it gives up.
 */
export async function checkArrivals(
  run: string,
  { startedAt, accepted, acceptMissing }: Pick<Begun, "startedAt" | "accepted" | "acceptMissing">,
  attempts: number,
  context: TrainingContext,
): Promise<Readiness & { attempts: number }> {
  const days = comparableDays(daysUntil(startedAt, context.logLookbackDays));
  const lines = await linesRead(run, days, context.store);
  const decision = afterEtl({ accepted, lines, attempts, acceptMissing });
  if (decision.next === "stop") throw new TrainingError(decision.message);
  if (decision.next === "train") return { ready: true, seconds: 0, attempts };
  const detail = `waiting for ${decision.missing.toLocaleString("en")} events that are not stored yet`;
  await context.state.note(run, { step: "arrivals", detail, recipes: [] });
  return { ready: false, seconds: context.looks.arrivals, attempts: attempts + 1 };
}
