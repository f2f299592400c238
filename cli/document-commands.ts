import * as v from "valibot";
import { stringify } from "yaml";
import type { Configuration } from "../lib/config/configuration.ts";
import { defineCommand } from "./command.ts";
import { type DocumentKind, namedDocument, openDocument } from "./documents.ts";
import { Failure, UsageError } from "./errors.ts";
import { readDeployed } from "./plan/deployed.ts";
import { LOCAL_HELP } from "./recommendation/target.ts";
import { storedConfiguration } from "./state/configuration-objects.ts";
import { shownTime } from "./terminal.ts";

/** Versions that are listed. */
const LISTED = 20;

const local = v.optional(v.boolean(), false);

interface Words {
  /** The words that list the versions: `placements versions`. */
  list: string;
}

interface ApplyOptions {
  /** Throws Failure if what is deployed cannot use the document. */
  requireDeployed: (deployed: Configuration, own: Partial<Configuration>) => void;
  drafts?: boolean;
}

/** Returns the command that writes the document of the configuration, which is in use within a minute. */
export function applyCommand<Value>(kind: DocumentKind<Value>, { requireDeployed, drafts = false }: ApplyOptions) {
  const { write, writeDraft } = namedDocument(kind);
  return defineCommand({
    example: `relevance ${kind.name} apply${drafts ? `\n  relevance ${kind.name} apply --draft` : ""}`,
    json: true,
    define: (command) => {
      command.option("--local", LOCAL_HELP);
      if (drafts) command.option("--draft", "write them as a draft, which only requests that ask for it get");
    },
    options: { local, draft: v.optional(v.boolean(), false) },
    run: async ({ conf, local, json, draft }, context) => {
      const { sdk, names, value, config: own } = await kind.open({ conf, local }, context);
      const { terminal } = context;
      const { config } = readDeployed(await storedConfiguration({ sdk }, names.bucket()));
      if (config) requireDeployed(config, own);
      const document = await openDocument(kind, sdk, names);
      if (draft) {
        const changes = await writeDraft(document, sdk, value);
        if (json) terminal.printJson({ changes });
        else
          for (const line of [...changes, 'The draft is written: "rule_set": "draft" in a request shows it'])
            terminal.print(line);
        return 0;
      }
      const { version, changes } = await write(document, sdk, value);
      if (json) {
        terminal.printJson({ version: version.version, written_by: version.written_by, changes });
        return 0;
      }
      for (const change of changes) terminal.print(change);
      terminal.print(
        changes.length === 0
          ? `No changes: version ${version.version} is in use`
          : `Version ${version.version} is in use within a minute. \`relevance ${kind.name} revert\` takes it back`,
      );
      return 0;
    },
  });
}

/** Returns the command that lists the last versions, newest first, which is the one in use. */
export function versionsCommand<Value>(kind: DocumentKind<Value>, { list }: Words) {
  const { explained, valueIn } = namedDocument(kind);
  return defineCommand({
    example: `relevance ${list}`,
    json: true,
    define: (command) => {
      command.option("--local", LOCAL_HELP);
    },
    options: { local },
    run: async ({ conf, local, json }, context) => {
      const { sdk, names } = await kind.open({ conf, local }, context);
      const { terminal } = context;
      const document = await openDocument(kind, sdk, names);
      const numbers = await explained(document.numbers());
      // One more, which the last of them is compared with.
      const read = await explained(Promise.all(numbers.slice(0, LISTED + 1).map(document.read)));
      const versions = read.slice(0, LISTED).flatMap((version, index) => {
        if (!version) return [];
        const changes = kind.changesOf(valueIn(read[index + 1]), valueIn(version));
        const { content: _, ...about } = version;
        return [{ ...about, changes }];
      });
      if (json) terminal.printJson(versions);
      else if (versions.length === 0)
        terminal.print(`There are no versions: \`relevance ${kind.name} apply\` writes the first`);
      else {
        for (const { version, written_at, written_by, reverts_to, changes } of versions) {
          const end = reverts_to === undefined ? "" : `  brings back version ${reverts_to}`;
          terminal.print(`${version}  ${shownTime(written_at)}  ${written_by}${end}`);
          for (const change of changes) terminal.print(`   ${change}`);
        }
        if (numbers.length > LISTED) terminal.note(`${numbers.length - LISTED} earlier versions are not listed.`);
      }
      return 0;
    },
  });
}

/** Returns the command that prints the content of a version, or of the draft, as the configuration has it. */
export function showCommand<Value>(kind: DocumentKind<Value>, { drafts = false }: Pick<ApplyOptions, "drafts"> = {}) {
  const { explained, newest, valueIn } = namedDocument(kind);
  const { name } = kind;
  return defineCommand({
    example: `relevance ${name} show\n  relevance ${name} show 4${drafts ? `\n  relevance ${name} show draft` : ""}`,
    json: true,
    define: (command) => {
      command.argument("[version]", `the version to show${drafts ? ", or `draft`" : ""} (default: the newest)`);
      command.option("--local", LOCAL_HELP);
    },
    options: { version: v.optional(v.string()), local },
    run: async ({ conf, local, json, version: given }, context) => {
      const { sdk, names } = await kind.open({ conf, local }, context);
      const document = await openDocument(kind, sdk, names);
      const isDraft = drafts && given === "draft";
      const found =
        given === undefined
          ? await newest(document)
          : await explained(isDraft ? document.draft() : document.read(versionNumber(given)));
      if (!found) throw new Failure(`There is no ${given === undefined ? "version" : given} of the ${name} yet`);
      const { content: _, ...about } = found;
      const content = kind.contentOf(valueIn(found));
      if (json) context.terminal.printJson({ ...about, ...(content as object) });
      else {
        context.terminal.note(`${isDraft ? "Draft" : `Version ${about.version}`} by ${about.written_by}`);
        context.terminal.print(stringify(content).trimEnd());
      }
      return 0;
    },
  });
}

/** Returns the command that writes the content of an earlier version as a new one. */
export function revertCommand<Value>(kind: DocumentKind<Value>, { list }: Words) {
  const { explained, newest, valueIn, write } = namedDocument(kind);
  const { name } = kind;
  return defineCommand({
    example: `relevance ${name} revert\n  relevance ${name} revert 4`,
    json: true,
    define: (command) => {
      command.argument("[version]", "the version to bring back (default: the one before the newest)");
      command.option("--local", LOCAL_HELP);
    },
    options: { version: v.optional(v.string()), local },
    run: async ({ conf, local, json, version: given }, context) => {
      const { sdk, names } = await kind.open({ conf, local }, context);
      const { terminal } = context;
      const document = await openDocument(kind, sdk, names);
      const latest = await newest(document);
      if (!latest)
        throw new Failure(`There is no version of the ${name} yet: \`relevance ${name} apply\` writes the first`);
      const wanted = given === undefined ? latest.version - 1 : versionNumber(given);
      const old = wanted > 0 ? await explained(document.read(wanted)) : undefined;
      if (!old) throw new Failure(`There is no version ${wanted} of the ${name}: see \`relevance ${list}\``);
      const { version, changes } = await write(document, sdk, valueIn(old), wanted);
      if (json) {
        terminal.printJson({ version: version.version, written_by: version.written_by, reverts_to: wanted, changes });
        return 0;
      }
      for (const change of changes) terminal.print(change);
      terminal.print(
        changes.length === 0
          ? `No changes: version ${version.version} has the ${name} of version ${wanted}`
          : `Version ${version.version}, with the ${name} of version ${wanted}, is in use within a minute`,
      );
      if (changes.length > 0)
        terminal.note(`${kind.file} still has the others: the next apply or deploy brings them back.`);
      return 0;
    },
  });
}

/** Returns the number of a version. Throws UsageError if it is not one. */
function versionNumber(given: string): number {
  if (!/^[1-9]\d{0,7}$/.test(given)) throw new UsageError(`"${given}" is not the number of a version`);
  return Number(given);
}
