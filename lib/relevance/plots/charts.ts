import type { Interval } from "../statistics/bootstrap.ts";
import { drawing, element, label } from "./svg.ts";

const LABELS = 200;
const PLOT = 420;
const NUMBERS = 90;
const ROW = 24;
const MARGIN = 30;

/** Draws a mean with its interval for each name, around a line at 0. */
export function intervalChart(title: string, rows: ReadonlyArray<{ name: string; interval: Interval }>): string {
  const most = Math.max(1e-9, ...rows.flatMap(({ interval }) => [Math.abs(interval.low), Math.abs(interval.high)]));
  const x = (value: number) => LABELS + PLOT / 2 + (value / most) * (PLOT / 2);
  const height = MARGIN + rows.length * ROW + MARGIN;
  const lines = rows.flatMap(({ name, interval: { mean, low, high } }, index) => {
    const y = MARGIN + index * ROW + ROW / 2;
    return [
      label(shortened(name), { x: LABELS - 10, y: y + 4, "text-anchor": "end" }),
      element("line", { x1: x(low), x2: x(high), y1: y, y2: y, stroke: "#3b7dd8", "stroke-width": 2 }),
      element("circle", { cx: x(mean), cy: y, r: 4, fill: "#3b7dd8" }),
      label(signed(mean), { x: LABELS + PLOT + NUMBERS - 10, y: y + 4, "text-anchor": "end" }),
    ];
  });
  return drawing(title, LABELS + PLOT + NUMBERS, height, [
    element("line", { x1: x(0), x2: x(0), y1: MARGIN - 8, y2: height - MARGIN + 8, stroke: "#999" }),
    label(signed(-most), { x: LABELS, y: height - 8 }),
    label("0", { x: x(0), y: height - 8, "text-anchor": "middle" }),
    label(signed(most), { x: LABELS + PLOT, y: height - 8, "text-anchor": "end" }),
    ...lines,
  ]);
}

/** Draws one bar for each difference, largest gain first, so that one sees how many queries gain and how many lose. */
export function differenceBars(title: string, differences: readonly number[]): string {
  const sorted = [...differences].sort((a, b) => b - a);
  const most = Math.max(1e-9, ...sorted.map(Math.abs));
  const width = LABELS + PLOT;
  const bar = width / Math.max(1, sorted.length);
  const half = 80;
  const bars = sorted.map((difference, index) => {
    const size = (Math.abs(difference) / most) * half;
    const y = difference > 0 ? half - size : half;
    const fill = difference > 0 ? "#3b7dd8" : "#c8601f";
    return element("rect", { x: index * bar, y: y + MARGIN, width: Math.max(0.5, bar * 0.8), height: size, fill });
  });
  const zero = MARGIN + half;
  return drawing(title, width, 2 * (half + MARGIN), [
    ...bars,
    element("line", { x1: 0, x2: width, y1: zero, y2: zero, stroke: "#999" }),
    label(signed(most), { x: width, y: MARGIN - 8, "text-anchor": "end" }),
    label(signed(-most), { x: width, y: MARGIN + 2 * half + 18, "text-anchor": "end" }),
  ]);
}

const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(4)}`;
const shortened = (name: string) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);
