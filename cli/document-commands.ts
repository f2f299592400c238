import { stringify } from "yaml";
import { type ConfiguredDocument, openDocument, type Published, versionNumber } from "../lib/platform/aws/documents.ts";
import { Failure } from "../lib/platform/failure.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import { type Context, confOf, defineCommand } from "./command.ts";
import { argument, flag, local, maybe } from "./options.ts";
import { readDeployed } from "./plan/deployed.ts";
import { inAccount, openSession } from "./project.ts";
import { storedConfiguration } from "./state/configuration-objects.ts";
import { shownTime, type Terminal } from "./terminal.ts";

type Kind<Value> = ConfiguredDocument<Value, Configuration>;

/** Opens the deployed document and reads the local one. Throws UsageError if the configuration has no such document. */
async function opened<Value>(kind: Kind<Value>, options: { conf: string; local: boolean }, context: Context) {
  const session = await openSession(confOf(options), context);
  const value = kind.configured(session.config);
  const { config, names, sdk } = await inAccount(session, options.local);
  const bucket = names.bucket();
  return { document: openDocument(kind, { sdk, bucket }), value, config, sdk, bucket };
}

/** Returns the command that writes the document of the configuration, which is in use within a minute. */
export function applyCommand<Value>(kind: Kind<Value>, { drafts = false } = {}) {
  return defineCommand({
    example: `relevance ${kind.name} apply${drafts ? `\n  relevance ${kind.name} apply --draft` : ""}`,
    json: true,
    options: {
      ...local,
      ...(drafts && { draft: flag("--draft", "write them as a draft, which only requests that ask for it get") }),
    },
    run: async ({ conf, local, json, draft }, context) => {
      const { document, value, config: own, sdk, bucket } = await opened(kind, { conf, local }, context);
      const { terminal } = context;
      const { config } = readDeployed(await storedConfiguration({ sdk }, bucket));
      if (config) kind.requireDeployed(config, own);
      if (draft) {
        const changes = await document.writeDraft(value);
        if (json) terminal.printJson({ changes });
        else
          for (const line of [...changes, 'The draft is written: "rule_set": "draft" in a request shows it'])
            terminal.print(line);
        return 0;
      }
      const published = await document.write(value);
      const number = published.version.version;
      print(
        published,
        { json, terminal },
        {
          same: `version ${number} is in use`,
          other: `Version ${number} is in use within a minute. \`relevance ${kind.name} revert\` takes it back`,
        },
      );
    },
  });
}

/** Prints what was written, and in a sentence what it means. */
function print(
  { version: { version, written_by }, changes, reverts_to }: Published & { reverts_to?: number },
  { json, terminal }: { json: boolean; terminal: Terminal },
  { same, other }: { same: string; other: string },
): void {
  if (json) {
    terminal.printJson({ version, written_by, ...(reverts_to !== undefined && { reverts_to }), changes });
    return;
  }
  for (const change of changes) terminal.print(change);
  terminal.print(changes.length === 0 ? `No changes: ${same}` : other);
}

/** Returns the command that lists the last versions, newest first, which is the one in use. */
export function versionsCommand<Value>(kind: Kind<Value>) {
  return defineCommand({
    example: `relevance ${kind.list}`,
    json: true,
    options: local,
    run: async ({ conf, local, json }, context) => {
      const { document } = await opened(kind, { conf, local }, context);
      const { terminal } = context;
      const { listed, earlier } = await document.versions();
      if (json) terminal.printJson(listed);
      else if (listed.length === 0)
        terminal.print(`There are no versions: \`relevance ${kind.name} apply\` writes the first`);
      else {
        for (const { version, written_at, written_by, reverts_to, changes } of listed) {
          const end = reverts_to === undefined ? "" : `  brings back version ${reverts_to}`;
          terminal.print(`${version}  ${shownTime(written_at)}  ${written_by}${end}`);
          for (const change of changes) terminal.print(`   ${change}`);
        }
        if (earlier > 0) terminal.note(`${earlier} earlier versions are not listed.`);
      }
    },
  });
}

/** Returns the command that prints the content of a version, or of the draft, as the configuration has it. */
export function showCommand<Value>(kind: Kind<Value>, { drafts = false } = {}) {
  const { name } = kind;
  return defineCommand({
    example: `relevance ${name} show\n  relevance ${name} show 4${drafts ? `\n  relevance ${name} show draft` : ""}`,
    json: true,
    options: {
      version: argument("[version]", `the version to show${drafts ? ", or `draft`" : ""} (default: the newest)`, maybe),
      ...local,
    },
    run: async ({ conf, local, json, version: given }, context) => {
      const { document } = await opened(kind, { conf, local }, context);
      const isDraft = drafts && given === "draft";
      const found = await document.read(isDraft ? "draft" : given === undefined ? undefined : versionNumber(given));
      if (!found) throw new Failure(`There is no ${given === undefined ? "version" : given} of the ${name} yet`);
      const { content: _, ...about } = found.version;
      const content = kind.contentOf(found.value);
      if (json) context.terminal.printJson({ ...about, ...(content as object) });
      else {
        context.terminal.note(`${isDraft ? "Draft" : `Version ${about.version}`} by ${about.written_by}`);
        context.terminal.print(stringify(content).trimEnd());
      }
    },
  });
}

/** Returns the command that writes the content of an earlier version as a new one. */
export function revertCommand<Value>(kind: Kind<Value>) {
  const { name } = kind;
  return defineCommand({
    example: `relevance ${name} revert\n  relevance ${name} revert 4`,
    json: true,
    options: {
      version: argument("[version]", "the version to bring back (default: the one before the newest)", maybe),
      ...local,
    },
    run: async ({ conf, local, json, version: given }, context) => {
      const { document } = await opened(kind, { conf, local }, context);
      const { terminal } = context;
      const to = given === undefined ? undefined : versionNumber(given);
      const { reverted, ...published } = await document.revert(to);
      const number = published.version.version;
      print(
        { ...published, reverts_to: reverted },
        { json, terminal },
        {
          same: `version ${number} has the ${name} of version ${reverted}`,
          other: `Version ${number}, with the ${name} of version ${reverted}, is in use within a minute`,
        },
      );
      if (!json && published.changes.length > 0)
        terminal.note(`${kind.file} still has the others: the next apply or deploy brings them back.`);
    },
  });
}
