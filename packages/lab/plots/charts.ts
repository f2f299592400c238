import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";

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

/** A value at a pair of weights. */
export interface SurfacePoint {
  x: number;
  y: number;
  value: number;
}

const LEFT = 60;
const TOP = 50;
const CELL = 56;

/**
 * Draws the metric over two weights, both multiples of 0.1, as a heat map with its numbers. The point nearest to `best`
 * gets a frame.
 */
export function surfaceChart(
  title: string,
  axes: readonly [string, string],
  points: readonly SurfacePoint[],
  best: readonly [number, number],
): string {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const rows = Math.max(...points.map(({ y }) => Math.round(y * 10))) + 1;
  const at = (x: number, y: number) => ({
    x: LEFT + Math.round(x * 10) * CELL,
    y: TOP + (rows - 1 - Math.round(y * 10)) * CELL,
  });
  const cells = points.flatMap(({ x, y, value }) => {
    const share = high === low ? 1 : (value - low) / (high - low);
    const place = at(x, y);
    // White numbers are easier to read than black ones from a lightness of 50 % down.
    const ink = share > 0.75 ? "#fff" : "#111";
    return [
      element("rect", {
        ...place,
        width: CELL - 2,
        height: CELL - 2,
        fill: `hsl(212 65% ${Math.round(95 - 60 * share)}%)`,
      }),
      label(value.toFixed(3), { x: place.x + CELL / 2, y: place.y + CELL / 2 + 4, "text-anchor": "middle", fill: ink }),
    ];
  });
  const ticks = Array.from({ length: 11 }, (_, tick) => {
    const { x } = at(tick / 10, 0);
    return label((tick / 10).toFixed(1), { x: x + CELL / 2, y: TOP + rows * CELL + 16, "text-anchor": "middle" });
  });
  const lines = Array.from({ length: rows }, (_, tick) => {
    const { y } = at(0, tick / 10);
    return label((tick / 10).toFixed(1), { x: LEFT - 8, y: y + CELL / 2 + 4, "text-anchor": "end" });
  });
  const frame = {
    ...at(best[0], best[1]),
    width: CELL - 2,
    height: CELL - 2,
    fill: "none",
    stroke: "#c8601f",
    "stroke-width": 3,
  };
  return drawing(title, LEFT + 11 * CELL + 20, TOP + rows * CELL + 50, [
    label(title, { x: LEFT, y: 24, "font-size": 15 }),
    ...cells,
    element("rect", frame),
    ...ticks,
    ...lines,
    label(axes[0], { x: LEFT + (11 * CELL) / 2, y: TOP + rows * CELL + 40, "text-anchor": "middle" }),
    ...(rows > 1 ? [label(axes[1], { x: 0, y: TOP - 8 })] : []),
  ]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML and SVG, in content and in attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

/** Returns an SVG element. `content` is markup; attribute values are escaped here. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === "number" ? String(Number(value.toFixed(2))) : escaped(value);
    return ` ${key}="${text}"`;
  });
  return `<${name}${written.join("")}>${content}</${name}>`;
}

/** Returns a text element. */
export function label(text: string, attributes: Readonly<Record<string, string | number>>): string {
  return element("text", { "font-size": 12, fill: "currentColor", ...attributes }, escaped(text));
}

/** Returns a whole drawing with a title, which screen readers read. */
export function drawing(title: string, width: number, height: number, content: readonly string[]): string {
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "font-family": "system-ui, sans-serif",
  };
  return element("svg", attributes, [element("title", {}, escaped(title)), ...content].join("\n"));
}
