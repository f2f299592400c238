import type { Book } from "./services.ts";

/** Paper, ink and two colours of shapes: a genre always has the same ones. */
const PALETTES = [
  ["#f3e9d8", "#2b2a33", "#c8553d", "#588b8b"],
  ["#1f3044", "#f4ecdc", "#e0a458", "#6d8ea0"],
  ["#e4ebe1", "#22392c", "#3c6e47", "#d9a441"],
  ["#f0dcd3", "#402029", "#8f2d56", "#d9806b"],
  ["#26233a", "#efe6f5", "#9d7fd1", "#e38fb0"],
  ["#dde6ee", "#1b2b40", "#2f5d8c", "#e08e45"],
  ["#efe7c9", "#3a3018", "#a8741a", "#59734d"],
  ["#203a3a", "#eef3e6", "#7fb39a", "#e6c15c"],
  ["#f6e3c5", "#432818", "#bb6b2c", "#7b8f5a"],
  ["#3a2024", "#f6e6dc", "#d46a4c", "#e4b363"],
] as const;

type Draw = (one: string, two: string, turn: number) => string;

/** Shapes of the upper two thirds, 200 wide. */
const MOTIFS: readonly Draw[] = [
  // A sun over waves.
  (one, two, turn) =>
    `<circle cx="${70 + turn * 60}" cy="150" r="44" fill="${one}"/>${[0, 1, 2, 3].map((at) => `<path d="M0 ${186 + at * 16}q25-14 50 0t50 0 50 0 50 0v80H0z" fill="${at % 2 ? one : two}"/>`).join("")}`,
  // Hills.
  (one, two, turn) =>
    `<circle cx="${140 - turn * 80}" cy="132" r="22" fill="${two}"/><path d="M0 250L${60 + turn * 30} 150l50 60 30-34 60 74z" fill="${one}"/><path d="M0 250l40-44 46 44z" fill="${two}" opacity=".8"/>`,
  // Rings.
  (one, two, turn) =>
    [66, 52, 38, 24, 10]
      .map((r, at) => `<circle cx="${80 + turn * 40}" cy="182" r="${r}" fill="${at % 2 ? two : one}"/>`)
      .join(""),
  // Doors one behind another.
  (one, two) =>
    [0, 1, 2]
      .map(
        (at) =>
          `<path d="M${40 + at * 20} 250v-${92 - at * 22}a${60 - at * 20} ${60 - at * 20} 0 0 1 ${120 - at * 40} 0v${92 - at * 22}z" fill="${at % 2 ? two : one}" opacity="${1 - at * 0.15}"/>`,
      )
      .join(""),
  // Rows of leaves.
  (one, two, turn) =>
    Array.from({ length: 12 }, (_, at) => {
      const [x, y] = [28 + (at % 4) * 48, 138 + Math.floor(at / 4) * 42];
      return `<path d="M${x} ${y}q22-24 0-44q-22 20 0 44" transform="rotate(${turn * 60 + at * 30} ${x} ${y - 20}) translate(0 22)" fill="${at % 3 ? one : two}"/>`;
    }).join(""),
  // A street at night.
  (one, two, turn) =>
    [0, 1, 2, 3, 4]
      .map((at) => {
        const height = 50 + ((at * 37 + turn * 80) % 70);
        return `<path d="M${at * 40} 250v-${height}h38v${height}z" fill="${at % 2 ? two : one}"/><circle cx="${at * 40 + 19}" cy="${266 - height}" r="4" fill="#fff" opacity=".7"/>`;
      })
      .join(""),
];

/** Returns the address of a picture: the cover of a book, drawn from its title, author and genre. */
export function cover({ title, author, categories }: Pick<Book, "title" | "author" | "categories">): string {
  const [paper, ink, one, two] = PALETTES[hash(categories[0] ?? "") % PALETTES.length] ?? PALETTES[0];
  const drawn = hash(title);
  const swap = drawn % 2 === 0;
  const motif = MOTIFS[(drawn >>> 3) % MOTIFS.length]?.(
    swap ? one : two,
    swap ? two : one,
    ((drawn >>> 7) % 100) / 100,
  );
  const lines = wrapped(title);
  const size = lines.length > 3 ? 15 : 18;
  const text = lines.map((line, at) => `<tspan x="16" dy="${at === 0 ? 0 : size * 1.2}">${escaped(line)}</tspan>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 300"><rect width="200" height="300" fill="${paper}"/>
<g>${motif}</g><rect y="250" width="200" height="50" fill="${paper}"/><path d="M8 0v300" stroke="${ink}" stroke-opacity=".14" stroke-width="1.5"/>
<text x="16" y="34" fill="${ink}" font-family="Georgia,'DejaVu Serif',serif" font-weight="700" font-size="${size}">${text.join("")}</text>
<text x="16" y="280" fill="${ink}" font-family="Georgia,'DejaVu Serif',serif" font-size="12" letter-spacing=".4">${escaped(author)}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Splits a title into lines of at most 14 letters, if its words allow. */
function wrapped(title: string): string[] {
  const lines: string[] = [];
  for (const word of title.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 14) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Returns the same number for the same text. Source: FNV-1a. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
