import { type SurfacePoint, surfaceChart } from "../plots/charts.ts";
import type { Collection } from "./collection.ts";
import { inHundredths, type TunedSettings } from "./settings.ts";

/**
 * Draws the mean metric over the weights of the first two subqueries. Other subqueries share what is left in the proportions
 * of the best settings. With two subqueries it is one row.
 */
export function surfaceSvg(collection: Collection, best: TunedSettings, metric: string): string {
  const weights = inHundredths(best.weights, collection.subqueries);
  const others = weights.slice(2);
  const points: SurfacePoint[] = [];
  // The frame is where the numbers are best, also when the best weights of all lie between the cells.
  let framed = { x: 0, y: 0, mean: Number.NEGATIVE_INFINITY };
  for (let x = 0; x <= 10; x += 1) {
    for (let y = 0; y <= (others.length === 0 ? 0 : 10 - x); y += 1) {
      const own = others.length === 0 ? [x, 10 - x] : [x, y, ...shared(10 - x - y, others)];
      const values = collection.values({ ...best, weights: own.map((tenths) => tenths / 10) });
      const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
      points.push({ x: x / 10, y: y / 10, value: Math.abs(mean) });
      if (mean > framed.mean) framed = { x: x / 10, y: y / 10, mean };
    }
  }
  const title = `${metric} by weights (${best.normalization}, ${best.combination})`;
  return surfaceChart(title, ["weight of subquery 1", "weight of subquery 2"], points, [framed.x, framed.y]);
}

function shared(left: number, proportions: readonly number[]): number[] {
  const total = proportions.reduce((sum, part) => sum + part, 0);
  return proportions.map((part) => (total === 0 ? left / proportions.length : (left * part) / total));
}
