import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  ConfiguredDocument,
  DocumentKind,
  ListedVersion,
  ProjectDocument,
  Published,
} from "@relevance/lib/platform/aws/documents.ts";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { ConfigurationError, formatProblem } from "@relevance/lib/settings/problem.ts";
import * as v from "valibot";
import type { Setting } from "../evaluation/settings-file.ts";
import { ConsoleError } from "./problem.ts";

/** The configuration, and the account in which its documents are put into use. */
export interface MerchandiseOptions {
  /** Folder of the configuration. */
  conf: string;
  /** Opens a document of the account. Throws Failure. */
  open: <Value>(kind: DocumentKind<Value>) => Promise<ProjectDocument<Value>>;
  /** Returns the configuration of the last deployment; undefined if nothing was deployed, or it is of another version. */
  deployed?: () => Promise<Configuration | undefined>;
}

/** A file as it would be after a change. */
export interface FileChange {
  /** Its path in the configuration folder. */
  file: string;
  before: string;
  after: string;
  /** Identifies the file's present text. */
  version: string;
  /** The linter's findings for the configuration with the change. */
  problems: string[];
}

/** A kind of document that merchandisers edit: its file, and the deployed document. */
export interface MerchandiseKind<Change, State, Value> {
  /** Null for what only a deployment puts into use. */
  document: ConfiguredDocument<Value, Configuration> | null;
  change: v.GenericSchema<unknown, Change>;
  /** Returns the file that a change is about. */
  fileOf(change: Change): string;
  /** Returns the text with the change. Throws ConsoleError. */
  changed(text: string, change: Change): string;
  /** View of the files beside the newest version; undefined without a document. */
  stateOf(read: ReadFile, files: readonly string[], inUse: Value | undefined): State;
  /** Returns the names of files with changes that were never put into use. */
  pending(read: ReadFile, files: readonly string[], inUse: Value): string[];
  /** Returns the texts of files that have the value of a version. */
  restored(read: ReadFile, value: Value): Map<string, string>;
  /** Whether there is a draft that the gateway reads. */
  drafts: boolean;
  /** Returns the evaluation settings that apply the change to a search. */
  settingOf(configuration: Configuration, index: string): Partial<Setting>;
}

/** Returns the text of a file of the configuration; undefined if there is none. */
export type ReadFile = (file: string) => string | undefined;

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

/** Returns what the page can do with a document. Each method takes the body of a call. Throws ConsoleError and Failure. */
export function merchandise<Change, State, Value>(
  kind: MerchandiseKind<Change, State, Value>,
  { conf, open, deployed }: MerchandiseOptions,
) {
  const read: ReadFile = (file) => (existsSync(join(conf, file)) ? readFileSync(join(conf, file), "utf8") : undefined);
  const schema = Sent(kind.change);

  /** Opens the document, and returns its value in a configuration. Throws Failure if what is deployed cannot use it. */
  async function openFor(document: ConfiguredDocument<Value, Configuration>, own: Configuration) {
    const value = document.configured(own);
    const last = await deployed?.();
    if (last) document.requireDeployed(last, own);
    return { value, opened: await open(document) };
  }

  /** Throws ConsoleError if somebody has put another version into use: theirs would be replaced unseen. */
  async function requireNewest(opened: ProjectDocument<Value>, seen: number): Promise<void> {
    const { version: newest } = (await opened.read()) ?? {};
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
    return { file, before, after, version, problems: checkedConfiguration(conf, file, after).problems };
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
      const { configuration, problems } = checkedConfiguration(conf);
      const { listed, inUse } = (kind.document && (await (await open(kind.document)).versions())) ?? NO_VERSIONS;
      return { ...kind.stateOf(read, filesOf(configuration), inUse), versions: listed, problems };
    },

    check,

    /** Writes the change as a draft, if the document has drafts. Returns what a setting needs in order to search with it. */
    async draft(body: unknown): Promise<{ setting: Partial<Setting> }> {
      const { file, after } = checked(body);
      const { index } = parsed(schema, body);
      const configuration = loadConfiguration(conf, (name, text) => (name === file ? after : text));
      if (kind.document && kind.drafts) {
        const { opened, value } = await openFor(kind.document, configuration);
        await opened.writeDraft(value);
      }
      return { setting: kind.settingOf(configuration, index) };
    },

    /** Writes the change into its file, and puts a document into use. If that fails, the file is what it was. */
    async apply(body: unknown) {
      const change = checked(body);
      const { version, seen } = parsed(schema, body);
      if (version !== change.version) {
        const reason = `${change.file} has changed in the meantime: look at the new difference first`;
        throw new ConsoleError(409, "changed", reason);
      }
      const { document } = kind;
      if (!document) {
        replaceFile(join(conf, change.file), change.after);
        return { version: null };
      }
      await requireNewest(await open(document), seen);
      replaceFile(join(conf, change.file), change.after);
      try {
        const { opened, value } = await openFor(document, loadConfiguration(conf));
        return told(await opened.write(value));
      } catch (error) {
        replaceFile(join(conf, change.file), change.before);
        throw error;
      }
    },

    /** Brings the content of an earlier version back, into use and into the files. */
    async revert(body: unknown) {
      const { version } = parsed(v.strictObject({ version: v.pipe(v.number(), v.integer(), v.minValue(1)) }), body);
      const { document } = kind;
      if (!document) throw new ConsoleError(409, "no_versions", "Only a deployment puts it into use");
      const opened = await open(document);
      const inUse = (await opened.read())?.value ?? document.none;
      const lost = kind.pending(read, filesOf(checkedConfiguration(conf).configuration), inUse);
      if (lost.length > 0) {
        const reason = `${lost.join(", ")} has changes that are not in use, which would be lost: put them into use first`;
        throw new ConsoleError(409, "changed", reason);
      }
      const { reverted, ...published } = await opened.revert(version);
      const restored = document.parse(published.version.content);
      for (const [file, text] of kind.restored(read, restored)) replaceFile(join(conf, file), text);
      return { ...told(published), reverts_to: reverted };
    },
  };
}

const NO_VERSIONS = { listed: [] as ListedVersion[], inUse: undefined };

/** Returns what the page says of a version that is in use now. */
const told = ({ version: { version, written_by }, changes }: Published) => ({ version, written_by, changes });

function parsed<T>(schema: v.GenericSchema<unknown, T>, body: unknown): T {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new ConsoleError(400, "invalid_request", v.summarize(result.issues));
}

/** Returns the names of the files of synonyms. */
const filesOf = (configuration: Configuration | undefined): string[] =>
  Object.keys(configuration?.searchGateway?.synonyms ?? {});

/** Returns a configuration, in which a file may have another text, or what the linter says of it. */
function checkedConfiguration(
  conf: string,
  file?: string,
  after = "",
): { configuration?: Configuration; problems: string[] } {
  try {
    return { configuration: loadConfiguration(conf, (name, text) => (name === file ? after : text)), problems: [] };
  } catch (error) {
    if (error instanceof ConfigurationError) return { problems: error.problems.map(formatProblem) };
    throw error;
  }
}
