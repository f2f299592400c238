import { drawing, element, label } from "./svg.ts";

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
