import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { drawing, element, label } from "./charts.ts";

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 50;
const TOP = 30;
const BOTTOM = 25;

/** Draws a mean with its interval for each run, the oldest first and evenly spaced, over what the intervals span. */
export function timeChart(title: string, points: readonly { when: string; interval: Interval }[]): string {
  const low = Math.min(...points.map(({ interval }) => interval.low));
  const high = Math.max(...points.map(({ interval }) => interval.high), low + 1e-6);
  const step = (WIDTH - LEFT - 20) / Math.max(1, points.length - 1);
  const x = (at: number) => LEFT + 10 + at * step;
  const y = (value: number) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const stroke = { stroke: "#3b7dd8", "stroke-width": 2 };
  const day = (at: number) => points.at(at)?.when.slice(0, 10) ?? "";
  return drawing(title, WIDTH, HEIGHT, [
    label(title, { x: 0, y: 14 }),
    label(high.toFixed(3), { x: LEFT - 6, y: y(high) + 4, "text-anchor": "end" }),
    label(low.toFixed(3), { x: LEFT - 6, y: y(low) + 4, "text-anchor": "end" }),
    element("polyline", {
      points: points.map(({ interval }, at) => `${x(at).toFixed(1)},${y(interval.mean).toFixed(1)}`).join(" "),
      ...{ ...stroke, fill: "none", "stroke-width": 1 },
    }),
    ...points.flatMap(({ interval }, at) => [
      element("line", { x1: x(at), x2: x(at), y1: y(interval.low), y2: y(interval.high), ...stroke }),
      element("circle", { cx: x(at), cy: y(interval.mean), r: 3, fill: "#3b7dd8" }),
    ]),
    label(day(0), { x: LEFT, y: HEIGHT - 4 }),
    ...(points.length > 1 ? [label(day(-1), { x: WIDTH - 10, y: HEIGHT - 4, "text-anchor": "end" })] : []),
  ]);
}
