/** The keys and positions that lead to a value: `["hybrid_queries", 0, "index"]`. */
export type Path = readonly (string | number)[];

/** One error in a configuration. */
export interface Problem {
  /** The file's path as the user knows it, such as `conf/api.yaml`. */
  file: string;
  /** Line in that file, from 1; undefined if the file does not exist. */
  line: number | undefined;
  /** The place in the file: `hybrid_queries[0].index`; empty for the whole file. */
  path: string;
  /** The fault, the given value, and the allowed values. */
  message: string;
}

/** The configuration is not valid. Contains every problem of every file. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.problems = problems;
  }
}

/** Formats a problem as one line: `conf/api.yaml:12  throttle.rate_limit  must be a number above 0, got -1`. */
export function formatProblem({ file, line, path, message }: Problem): string {
  return [line === undefined ? file : `${file}:${line}`, path, message].filter(Boolean).join("  ");
}

/** Formats `["hybrid_queries", 0, "index"]` as `hybrid_queries[0].index`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

const MAX_SHOWN = 80;

/** Formats a value for a message: text is quoted and truncated, a collection is only named by its kind. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 1 ? "a list of 1 entry" : `a list of ${value.length} entries`;
  if (typeof value === "object") return "a mapping";
  if (typeof value !== "string") return String(value);
  return value.length > MAX_SHOWN
    ? `${JSON.stringify(`${value.slice(0, MAX_SHOWN)}…`)} (${value.length} characters)`
    : JSON.stringify(value);
}
