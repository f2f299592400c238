import { isDeepStrictEqual } from "node:util";
import { Failure, UsageError } from "../failure.ts";
import { settingChanges } from "../json/setting-changes.ts";
import {
  type DocumentVersion,
  s3DocumentBucket,
  type TextOf,
  type VersionedDocument,
  versionedDocument,
} from "./versioned-documents.ts";

/** A document that operators change without a deployment. */
export interface DocumentKind<Value> {
  /** Name of the document, which is a plural: placements, rules. */
  name: string;
  /** The words of the command that lists its versions. */
  list: string;
  /** Where in the configuration folder it comes from, for hints. */
  file: string;
  /** The value before the first version. */
  none: Value;
  /** Format version of the stored values; functions validate a document only if its version differs from theirs. */
  form?: number;
  /** Returns what functions read; JSON of the version if it is not given. */
  textOf?: TextOf;
  /** Throws if the content is of a form that this version does not know. */
  parse: (content: unknown) => Value;
  contentOf: (value: Value) => unknown;
  /** Describes each change in one line. */
  changesOf: (before: Value, after: Value) => string[];
}

/** A document that is in a configuration. */
export interface ConfiguredDocument<Value, Configuration> extends DocumentKind<Value> {
  /** Returns the document of a configuration. Throws UsageError if it has none. */
  configured: (configuration: Configuration) => Value;
  /** Throws Failure if what is deployed cannot use the document. */
  requireDeployed: (deployed: Configuration, own: Configuration) => void;
}

interface ListKind<Entry>
  extends Pick<DocumentKind<readonly Entry[]>, "name" | "list" | "file" | "form" | "textOf" | "parse"> {
  /** The word for one entry: Placement. */
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

/** Where the documents of a project are, and as whom they are written. */
export interface DocumentAccount {
  /** Configuration of SDK clients. */
  sdk: { region: string; endpoint?: string; credentials?: { accessKeyId: string; secretAccessKey: string } };
  bucket: string;
}

/** A version that was written, or that was in use already, and what it changed. */
export interface Published {
  version: DocumentVersion;
  changes: string[];
}

/** A version as it is listed. */
export interface ListedVersion extends Omit<DocumentVersion, "content"> {
  changes: string[];
}

/** Versions that are listed. */
const LISTED = 20;

/** The versions of a document of a project. */
export type ProjectDocument<Value> = ReturnType<typeof openDocument<Value>>;

/**
 * Opens the versions of a document of a project. Calls nothing yet. The methods throw Failure with what the credentials need,
 * or what S3 says.
 */
export function openDocument<Value>(kind: DocumentKind<Value>, { sdk, bucket }: DocumentAccount) {
  const { name, changesOf } = kind;
  let opened: VersionedDocument | undefined;

  async function stored<T>(work: (document: VersionedDocument) => Promise<T>): Promise<T> {
    const { S3Client } = await import("@aws-sdk/client-s3");
    opened ??= versionedDocument(s3DocumentBucket(new S3Client({ ...sdk, maxAttempts: 1 }), bucket), name, kind.textOf);
    try {
      return await work(opened);
    } catch (error) {
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

  /** Returns the newest version; undefined before the first, and if the bucket does not exist yet. */
  const newest = (): Promise<DocumentVersion | undefined> =>
    stored((document) =>
      document.newest().catch((error: Error) => {
        if (error.name === "NoSuchBucket") return undefined;
        throw error;
      }),
    );

  const valueIn = (version: DocumentVersion | undefined): Value => versionValue(kind, version);

  const authored = async (value: Value) => ({
    by: await identityOf(sdk),
    at: new Date(),
    content: kind.contentOf(value),
    form: kind.form,
  });

  /**
   * Writes a value as a new version, unless it is that of the newest one. Returns the version in use, and what changed. Throws
   * Failure if somebody else writes at the same time.
   */
  async function write(value: Value, revertsTo?: number): Promise<Published> {
    const latest = await newest();
    const before = valueIn(latest);
    if (latest && isDeepStrictEqual(before, value)) {
      // An interrupted run may have written the version without putting it into use.
      await stored((document) => document.publish());
      return { version: latest, changes: [] };
    }
    const author = { ...(await authored(value)), ...(revertsTo !== undefined && { revertsTo }) };
    const version = await stored((document) => document.write(latest?.version ?? 0, author));
    if (!version) {
      throw new Failure(`Somebody else has just written another version of the ${name}: run this again to replace it`);
    }
    const changes = changesOf(before, value);
    const reordered = latest && changes.length === 0;
    return { version, changes: reordered ? [`The order of the ${name} has changed`] : changes };
  }

  /** Returns a version with its value: the newest, the one of a number, or the draft; undefined if there is none. */
  async function read(which?: number | "draft"): Promise<{ version: DocumentVersion; value: Value } | undefined> {
    const version = await (which === undefined
      ? newest()
      : stored((document) => (which === "draft" ? document.draft() : document.read(which))));
    return version && { version, value: valueIn(version) };
  }

  return {
    ...{ read, write },

    /**
     * Returns the last versions, newest first, which is the one in use; its value, that of no document without one; and how many
     * earlier versions there are.
     */
    async versions(): Promise<{ listed: ListedVersion[]; inUse: Value; earlier: number }> {
      const numbers = await stored((document) => document.numbers());
      // One more, which the last of them is compared with.
      const found = await stored((document) => Promise.all(numbers.slice(0, LISTED + 1).map(document.read)));
      const listed = found.slice(0, LISTED).flatMap((version, index) => {
        if (!version) return [];
        const { content: _, ...about } = version;
        return [{ ...about, changes: changesOf(valueIn(found[index + 1]), valueIn(version)) }];
      });
      return { listed, inUse: valueIn(found[0]), earlier: Math.max(0, numbers.length - LISTED) };
    },

    /** Writes the content of an earlier version as a new one: by default, of the one before the newest. */
    async revert(to?: number): Promise<Published & { reverted: number }> {
      const latest = await newest();
      if (!latest)
        throw new Failure(`There is no version of the ${name} yet: \`relevance ${name} apply\` writes the first`);
      const reverted = to ?? latest.version - 1;
      const old = reverted > 0 ? await read(reverted) : undefined;
      if (!old) throw new Failure(`There is no version ${reverted} of the ${name}: see \`relevance ${kind.list}\``);
      return { ...(await write(old.value, reverted)), reverted };
    },

    /** Writes a value as the draft of the next version. Returns how it differs from the newest one. */
    async writeDraft(value: Value): Promise<string[]> {
      const latest = await newest();
      const author = await authored(value);
      await stored((document) => document.writeDraft(latest?.version ?? 0, author));
      return changesOf(valueIn(latest), value);
    },
  };
}

/** Returns the value of a version. Throws Failure if this version of the tool does not know it. */
export function versionValue<Value>(kind: DocumentKind<Value>, version: DocumentVersion | undefined): Value {
  if (version === undefined) return kind.none;
  try {
    return kind.parse(version.content);
  } catch (error) {
    const message = `Version ${version.version} of the ${kind.name} has settings that this version of relevance does not know`;
    throw new Failure(message, { cause: error });
  }
}

/** Returns the number of a version. Throws UsageError if it is not one. */
export function versionNumber(given: string): number {
  if (!/^[1-9]\d{0,7}$/.test(given)) throw new UsageError(`"${given}" is not the number of a version`);
  return Number(given);
}

/** Returns the ARN of the identity of the credentials, as STS names it. */
async function identityOf(sdk: DocumentAccount["sdk"]): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
  const { Arn } = await new STSClient(sdk).send(new GetCallerIdentityCommand({}));
  return Arn ?? "unknown";
}
