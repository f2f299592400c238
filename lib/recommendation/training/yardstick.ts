import type { Interval } from "../../platform/statistics/bootstrap.ts";
import { FEWEST_DIFFERENCES } from "../../platform/statistics/resampling.ts";
import type { BuiltInReport } from "../built-in/report.ts";

type Measured = NonNullable<BuiltInReport["measured"]>;

/**
 * Returns a message that compares Personalize's model, the built-in engine and popularity in tests of the same kind,
 * and says whether the campaign is worth its price. `personalize` is the NDCG@25 of the model for users that this run
 * trained; undefined if there is none.
 *
 * Personalize reports no interval and chooses its test users itself. The interval of the difference therefore assumes
 * that its model was measured on as many other users as the built-in engine, which widens the interval of one mean by
 * √2. This is rather too wide, because Personalize tests a tenth of all users, which is at least as many.
 */
export function yardstick(measured: Measured, personalize: number | undefined): string {
  const { users, built_in, popularity } = measured;
  const isEnough = users >= FEWEST_DIFFERENCES;
  const withInterval = ({ mean, low, high }: Interval) =>
    isEnough ? `${shown(mean)} (${shown(low)} to ${shown(high)})` : shown(mean);
  const figures = [
    ...(personalize === undefined ? [] : [`Personalize ${shown(personalize)}`]),
    `built-in engine ${withInterval(built_in)}`,
    `popularity ${withInterval(popularity)}`,
  ].join(", ");
  const how =
    "NDCG@25 of predicting the newest tenth of the items of test users from the others" +
    `${isEnough ? ", with intervals of 95 %" : ""}` +
    ` (${users.toLocaleString("en")} test users${personalize === undefined ? "" : "; Personalize chooses its own"}): ${figures}`;
  if (!isEnough) return `${how}. They are too few for intervals and a verdict: ${FEWEST_DIFFERENCES} are needed`;
  return personalize === undefined ? how : `${how}. ${verdict(personalize, built_in)}`;
}

/** Returns a message that names the model of the built-in engine, why it was chosen, and what the training took. */
export function modelLine({ model, seconds }: Pick<BuiltInReport, "model" | "seconds">): string {
  const { factors, users, over } = model;
  const lists = factors > 0 ? `by ${factors} factors` : "by common users";
  const difference = over && `${shown(over.mean)} (${shown(over.low)} to ${shown(over.high)})`;
  const why = difference
    ? `for ${users.toLocaleString("en")} other users, factors differ from common users by ${difference}`
    : "there are too few users to compare it with factors";
  return `The engine finds neighbours ${lists}: ${why}. Its training took ${seconds} s of processor time`;
}

function verdict(personalize: number, { mean, low, high }: Interval): string {
  const difference = personalize - mean;
  const width = (Math.SQRT2 * (high - low)) / 2;
  const by = (value: number) => `${shown(value)} (${shown(value - width)} to ${shown(value + width)})`;
  if (difference > width) {
    return `The campaign recommends better than the built-in engine, by ${by(difference)}: that is what its price buys`;
  }
  if (difference < -width) {
    return `The built-in engine recommends better than the campaign, by ${by(-difference)}, and costs nothing between trainings: the campaign does not earn its price`;
  }
  return `The difference of ${by(difference)} is within chance, and the built-in engine costs nothing between trainings: the campaign does not earn its price by this measure`;
}

const shown = (value: number) => value.toFixed(3);
