/** Says how many of all there are: `12 of 6,000 events (0.20 %)`. Only all of them are 100 %. */
export function shareText(count: number, all: number, what: string): string {
  const percent = (100 * count) / all;
  const shown = count === all ? "100" : percent < 99 ? percent.toPrecision(2) : Math.min(percent, 99.99).toFixed(2);
  return `${count.toLocaleString("en")} of ${all.toLocaleString("en")} ${what} (${shown} %)`;
}
