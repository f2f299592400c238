import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import type { Configuration } from "../../lib/config/configuration.ts";
import { loadConfiguration } from "../../lib/config/load.ts";
import { ConfigurationError, formatProblem } from "../../lib/config/problem.ts";
import type { Setting } from "../evaluation/settings-file.ts";
import { type CommandOptions, output } from "./command.ts";
import { ConsoleError } from "./problem.ts";
import { replace } from "./replace.ts";

export interface MerchandiseOptions extends CommandOptions {
  /** Folder of the configuration. */
  conf: string;
  /** Arguments of the commands that choose the account. */
  account: readonly string[];
}

/** A version of a document, as the commands list it. */
const Listed = v.object({
  version: v.number(),
  written_at: v.string(),
  written_by: v.string(),
  reverts_to: v.optional(v.number()),
  changes: v.array(v.string()),
});
export type ListedVersion = v.InferOutput<typeof Listed>;

/** What a change would make of a file. */
export interface FileChange {
  /** Its path in the configuration folder. */
  file: string;
  before: string;
  after: string;
  /** Identifies the file's present text. */
  version: string;
  /** What the linter says of the configuration with the change. */
  problems: string[];
}

/** What merchandisers change: the file that has it, and the commands that put it into use. */
export interface MerchandiseKind<Change, State> {
  name: "rules" | "synonyms" | "variety";
  /** The words of the command that lists its versions; null for what only a deployment puts into use. */
  list: readonly string[] | null;
  change: v.GenericSchema<unknown, Change>;
  /** Returns the file that a change is about. */
  fileOf(change: Change): string;
  /** Returns the text with the change. Throws ConsoleError. */
  changed(text: string, change: Change): string;
  /** What the page shows of the files, beside the content of the newest version. */
  stateOf(read: (file: string) => string | undefined, files: readonly string[], inUse: unknown): State;
  /** Returns the names of files with changes that were never put into use. */
  pending(read: (file: string) => string | undefined, files: readonly string[], inUse: unknown): string[];
  /** Returns the texts of files that have the content of a version. */
  restored(read: (file: string) => string | undefined, content: unknown): Map<string, string>;
  /** Whether there is a draft that the gateway reads. */
  drafts: boolean;
  /** Returns what a setting of an evaluation needs in order to search with the change. */
  settingOf(configuration: Configuration, index: string): Partial<Setting>;
}

/**
 * A change that was checked before; `version` is that of the text that its author has seen, and `seen` the newest version of the
 * document.
 */
const Sent = <Change>(change: v.GenericSchema<unknown, Change>) =>
  v.object({
    change,
    version: v.optional(v.string()),
    seen: v.optional(v.number(), 0),
    index: v.optional(v.string(), ""),
  });

/** Returns what the page can do with a document. Each method takes the body of a call. Throws ConsoleError. */
export function merchandise<Change, State>(
  kind: MerchandiseKind<Change, State>,
  { conf, account, command, env }: MerchandiseOptions,
) {
  const read = (file: string) => (existsSync(join(conf, file)) ? readFileSync(join(conf, file), "utf8") : undefined);
  const schema = Sent(kind.change);

  async function run(words: readonly string[], folder = conf): Promise<unknown> {
    try {
      return JSON.parse(await output([...command, ...words, "--json", "--conf", folder, ...account], { env }));
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      throw new ConsoleError(error.status, error.code, error.message.replaceAll(folder, conf), { cause: error });
    }
  }

  const versionsInUse = async () => (kind.list ? v.parse(v.array(Listed), await run(kind.list)) : []);

  /** Throws ConsoleError if somebody has put another version into use: theirs would be replaced unseen. */
  async function requireNewest(seen: number): Promise<void> {
    const [newest] = await versionsInUse();
    if (newest === undefined || newest.version === seen) return;
    const reason = `${newest.written_by} has put version ${newest.version} into use in the meantime: look at it first`;
    throw new ConsoleError(409, "changed", reason);
  }

  function check(body: unknown): FileChange {
    const { change } = parsed(schema, body);
    const file = kind.fileOf(change);
    const before = read(file);
    if (before === undefined)
      throw new ConsoleError(409, "no_file", `There is no ${join(conf, file)}: write one first`);
    const after = kind.changed(before, change);
    const version = createHash("sha256").update(before).digest("hex");
    return { file, before, after, version, problems: problemsOf(conf, file, after) };
  }

  /** Throws ConsoleError for a change with problems. */
  function checked(body: unknown): FileChange {
    const change = check(body);
    if (change.problems.length === 0) return change;
    throw new ConsoleError(409, "invalid", change.problems.join("\n"));
  }

  return {
    /** Returns what the files have, and the versions that were put into use. */
    async state() {
      const files = filesOf(conf);
      const versions = await versionsInUse();
      const inUse = versions.length > 0 ? await run([kind.name, "show"]) : undefined;
      return { ...kind.stateOf(read, files, inUse), versions, problems: problemsOf(conf) };
    },

    check,

    /** Writes the change as a draft, if the document has drafts. Returns what a setting needs in order to search with it. */
    async draft(body: unknown): Promise<{ setting: Partial<Setting> }> {
      const { file, after } = checked(body);
      const { index } = parsed(schema, body);
      const configuration = loadConfiguration(conf, (name, text) => (name === file ? after : text));
      if (kind.drafts) {
        const folder = mkdtempSync(join(tmpdir(), "relevance-draft-"));
        try {
          cpSync(conf, folder, { recursive: true, dereference: true });
          replace(join(folder, file), after);
          await run([kind.name, "apply", "--draft"], folder);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }
      return { setting: kind.settingOf(configuration, index) };
    },

    /** Writes the change into its file, and puts a document into use. If that fails, the file is what it was. */
    async apply(body: unknown) {
      const change = checked(body);
      if (parsed(schema, body).version !== change.version) {
        const reason = `${change.file} has changed in the meantime: look at the new difference first`;
        throw new ConsoleError(409, "changed", reason);
      }
      await requireNewest(parsed(schema, body).seen);
      replace(join(conf, change.file), change.after);
      if (!kind.list) return { version: null };
      try {
        return await run([kind.name, "apply"]);
      } catch (error) {
        replace(join(conf, change.file), change.before);
        throw error;
      }
    },

    /** Brings the content of an earlier version back, into use and into the files. */
    async revert(body: unknown) {
      const { version } = parsed(v.strictObject({ version: v.pipe(v.number(), v.integer(), v.minValue(1)) }), body);
      const lost = kind.pending(read, filesOf(conf), await run([kind.name, "show"]));
      if (lost.length > 0) {
        const reason = `${lost.join(", ")} has changes that are not in use, which would be lost: put them into use first`;
        throw new ConsoleError(409, "changed", reason);
      }
      const reverted = await run([kind.name, "revert", String(version)]);
      for (const [file, text] of kind.restored(read, await run([kind.name, "show"]))) replace(join(conf, file), text);
      return reverted;
    },
  };
}

function parsed<T>(schema: v.GenericSchema<unknown, T>, body: unknown): T {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new ConsoleError(400, "invalid_request", v.summarize(result.issues));
}

/** Returns the names of the files of synonyms. */
const filesOf = (conf: string): string[] => Object.keys(configurationOf(conf)?.searchGateway?.synonyms ?? {});

/** Returns a configuration; undefined if it has problems. */
function configurationOf(conf: string): Configuration | undefined {
  try {
    return loadConfiguration(conf);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** Returns what the linter says of a configuration, in which a file may have another text. */
function problemsOf(conf: string, file?: string, after = ""): string[] {
  try {
    loadConfiguration(conf, (name, text) => (name === file ? after : text));
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(formatProblem);
    throw error;
  }
}
