import type { Mutant } from "./candidates.ts";

/** A mutant that no test noticed. */
export interface Survivor extends Pick<Mutant, "file" | "line" | "kind" | "original" | "replacement"> {
  /** Why no test should notice it; written by hand, empty until then. */
  why: string;
}

/** The last run, as sample.json keeps it. */
export interface Sample {
  seed: number;
  /** How many mutants there are, and in files that a unit test reaches. */
  all: number;
  reached: number;
  played: number;
  /** How many survived when this sample was first played. */
  survivedAtFirst: number;
  survivors: Survivor[];
}

/** Returns the survivors as a table of Markdown. */
export function survivorsTable({ survivors }: Sample): string {
  if (survivors.length === 0) return "No mutant survives.";
  const code = (text: string) => {
    const short = text.replace(/\s+/g, " ");
    return `\`${(short.length > 60 ? `${short.slice(0, 57)}…` : short).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
  };
  return [
    "| survivor | from | to | why no test notices it |",
    "|---|---|---|---|",
    ...survivors.map(
      ({ file, line, original, replacement, why }) =>
        `| ${file}:${line} | ${code(original)} | ${code(replacement)} | ${why || "not looked at"} |`,
    ),
  ].join("\n");
}
