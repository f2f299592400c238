import { isDeepStrictEqual } from "node:util";
import {
  type DocumentVersion,
  s3DocumentBucket,
  type TextOf,
  type VersionedDocument,
  versionedDocument,
} from "../lib/aws/versioned-documents.ts";
import type { Configuration } from "../lib/config/configuration.ts";
import type { Names } from "../lib/core/naming/names.ts";
import type { Context } from "./command.ts";
import { Failure } from "./errors.ts";
import type { Session } from "./session.ts";
import { settingChanges } from "./setting-changes.ts";

/** Configuration of SDK clients. */
interface Sdk {
  region: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
}

/** A document that operators change without a deployment. */
export interface DocumentKind<Value> {
  /** What the commands and the document are called, which is a plural: placements, rules. */
  name: string;
  /** Where in the configuration folder it comes from, for hints. */
  file: string;
  /** The value before the first version. */
  none: Value;
  /** The form in which values are written. Functions check only documents of another form. */
  form?: number;
  /** Returns what functions read; JSON of the version if it is not given. */
  textOf?: TextOf;
  /** Throws if the content is of a form that this version of the tool does not know. */
  parse: (content: unknown) => Value;
  contentOf: (value: Value) => unknown;
  /** Describes each change in one line. */
  changesOf: (before: Value, after: Value) => string[];
  /** Opens the account that `--conf` and `--local` say. Throws if the configuration has no such document. */
  open: (options: { conf: string; local: boolean }, context: Context) => Promise<OpenDocument<Value>>;
}

/** What commands need of the account, and of the configuration. */
export interface OpenDocument<Value> {
  sdk: Sdk;
  names: Names;
  /** The document in the configuration. */
  value: Value;
  /** The configuration that it is in. */
  config: Partial<Configuration>;
}

interface ListKind<Entry>
  extends Pick<DocumentKind<readonly Entry[]>, "name" | "file" | "form" | "textOf" | "parse" | "open"> {
  /** What one entry is called: Placement. */
  one: string;
}

/** Returns the kind of a document that is a list of named entries. */
export const listKind = <Entry extends { name: string }>({
  one,
  ...kind
}: ListKind<Entry>): DocumentKind<readonly Entry[]> => ({
  ...kind,
  none: [],
  contentOf: (entries) => ({ [kind.name]: entries }),
  changesOf: (before, after) => {
    const old = new Map(before.map((entry) => [entry.name, entry]));
    const kept = new Set(after.map((entry) => entry.name));
    return [
      ...after.flatMap((entry) => {
        const earlier = old.get(entry.name);
        if (isDeepStrictEqual(earlier, entry)) return [];
        return [`${one} ${entry.name}: ${earlier ? settingChanges(earlier, entry).join("; ") : "new"}`];
      }),
      ...before.flatMap((entry) => (kept.has(entry.name) ? [] : [`${one} ${entry.name}: removed`])),
    ];
  },
});

/** Opens the versions of a document of the project. */
export async function openDocument(
  { name, textOf }: Pick<DocumentKind<unknown>, "name" | "textOf">,
  sdk: Sdk,
  names: Names,
): Promise<VersionedDocument> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ ...sdk, maxAttempts: 1 });
  return versionedDocument(s3DocumentBucket(client, names.bucket()), name, textOf);
}

/** Returns the ARN of whoever the credentials belong to, as STS names it. */
async function identityOf(sdk: Sdk): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
  const { Arn } = await new STSClient(sdk).send(new GetCallerIdentityCommand({}));
  return Arn ?? "unknown";
}

/** Returns what commands do with a document of a kind. */
export function namedDocument<Value>(kind: DocumentKind<Value>) {
  const { name, parse, changesOf } = kind;

  /** Awaits calls to the bucket. Throws Failure with what the credentials need, or what S3 says. */
  async function explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { name: code, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const advice =
        $metadata?.httpStatusCode === 403
          ? `. The credentials need s3:ListBucket on the project's bucket, s3:GetObject and s3:PutObject on documents/${name}/*, and kms:Decrypt and kms:GenerateDataKey on its key`
          : code === "NoSuchBucket"
            ? ". Run `relevance deploy` first"
            : "";
      throw new Failure(`The ${name} cannot be read or written: ${code}: ${message}${advice}`, { cause: error });
    }
  }

  /** Returns the newest version; undefined before the first, and if the bucket does not exist yet. Throws Failure. */
  function newest(document: VersionedDocument): Promise<DocumentVersion | undefined> {
    return explained(
      document.newest().catch((error: Error) => {
        if (error.name === "NoSuchBucket") return undefined;
        throw error;
      }),
    );
  }

  /** Returns the value of a version. Throws Failure if this version of the tool does not know it. */
  function valueIn(version: DocumentVersion | undefined): Value {
    if (version === undefined) return kind.none;
    try {
      return parse(version.content);
    } catch (error) {
      const message = `Version ${version.version} of the ${name} has settings that this version of relevance does not know`;
      throw new Failure(message, { cause: error });
    }
  }

  /**
   * Writes a value as a new version, unless it is that of the newest one. Returns the version in use, and what changed. Throws
   * Failure if somebody else writes at the same time.
   */
  async function write(
    document: VersionedDocument,
    sdk: Sdk,
    value: Value,
    revertsTo?: number,
  ): Promise<{ version: DocumentVersion; changes: string[] }> {
    const latest = await newest(document);
    const before = valueIn(latest);
    if (latest && isDeepStrictEqual(before, value)) {
      // An interrupted run may have written the version without putting it into use.
      await explained(document.publish());
      return { version: latest, changes: [] };
    }
    const written = await explained(
      document.write(latest?.version ?? 0, {
        ...(await authored(sdk, value)),
        ...(revertsTo !== undefined && { revertsTo }),
      }),
    );
    if (written) return { version: written, changes: latest ? changesAfter(before, value) : changesOf(before, value) };
    throw new Failure(`Somebody else has just written another version of the ${name}: run this again to replace it`);
  }

  /** Returns the changes, or that only the order has changed. */
  function changesAfter(before: Value, after: Value): string[] {
    const changes = changesOf(before, after);
    return changes.length > 0 ? changes : [`The order of the ${name} has changed`];
  }

  async function authored(sdk: Sdk, value: Value) {
    return { by: await identityOf(sdk), at: new Date(), content: kind.contentOf(value), form: kind.form };
  }

  return {
    ...{ explained, newest, valueIn, write },

    /** Writes a value as the draft of the next version. Returns how it differs from the newest one. */
    async writeDraft(document: VersionedDocument, sdk: Sdk, value: Value): Promise<string[]> {
      const latest = await newest(document);
      await explained(document.writeDraft(latest?.version ?? 0, await authored(sdk, value)));
      return changesOf(valueIn(latest), value);
    },

    /** Returns notes for the plan on what `deploy` changes. Says whose version it replaces. */
    async notes(sdk: Sdk, names: Names, value: Value): Promise<string[]> {
      const latest = await newest(await openDocument(kind, sdk, names));
      const changes = changesOf(valueIn(latest), value);
      if (changes.length === 0 || latest === undefined) return changes;
      return [
        ...changes,
        `Version ${latest.version} of the ${name}, which deploy replaces, is by ${latest.written_by}`,
      ];
    },

    /** Puts the value of the configuration into use at the end of a deployment. */
    async synchronize({ sdk, terminal }: Pick<Session, "sdk" | "terminal">, names: Names, value: Value) {
      const { version, changes } = await write(await openDocument(kind, sdk, names), sdk, value);
      for (const change of changes) terminal.note(`  ${change}`);
      if (changes.length > 0) terminal.note(`  ${name}: version ${version.version}`);
    },
  };
}
