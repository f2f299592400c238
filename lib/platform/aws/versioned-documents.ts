import type { S3Client } from "@aws-sdk/client-s3";
import * as v from "valibot";
import { nestingIssue } from "../json/nesting.ts";
import { PREFIXES } from "../naming/object-keys.ts";
import type { Deadline } from "../resilience/deadline.ts";
import { patientCalls } from "./call.ts";
import { isNamed } from "./errors.ts";
import { listed, type ObjectStore, readText } from "./object-store.ts";
import { s3ObjectStore } from "./s3-object-store.ts";
import { failureOf, type StoreFailure } from "./store-failure.ts";

/**
 * Documents that operators change without a deployment: placements and rules. Each version is an
 * object of its own that is written once, under a number. `current.json` is a copy of the last one, which functions read.
 */
const Version = v.object({
  version: v.number(),
  /** ISO 8601. */
  written_at: v.string(),
  /** ARN of the IAM identity that wrote it, as STS names it. CloudTrail is what proves it. */
  written_by: v.string(),
  /** The version whose content this one brings back. */
  reverts_to: v.optional(v.number()),
  /** The form of the content, by which its writer has checked it. */
  form: v.optional(v.number()),
  content: v.unknown(),
});

export type DocumentVersion = v.InferOutput<typeof Version>;

const folderOf = (name: string) => `${PREFIXES.documents}${name}/`;
const keyOf = (name: string, version: number) => `${folderOf(name)}versions/${String(version).padStart(8, "0")}.json`;

/** The key of what functions read. */
export const currentKey = (name: string) => `${folderOf(name)}current.json`;

/** The key of a draft of the next version. */
export const draftKey = (name: string) => `${folderOf(name)}draft.json`;

/** Operations on the bucket of documents. */
export interface DocumentBucket extends Pick<ObjectStore, "list" | "read" | "write"> {
  /** Writes a new object; false if there is one with this key already. */
  create(key: string, body: string): Promise<boolean>;
}

/** Implements DocumentBucket with a bucket. The client must have its own retries turned off. */
export function s3DocumentBucket(client: S3Client, bucket: string): DocumentBucket {
  const call = patientCalls(60_000, 5);
  return {
    ...s3ObjectStore(client, bucket),
    async create(Key, Body) {
      const { PutObjectCommand } = await import("@aws-sdk/client-s3");
      try {
        await call(() => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, IfNoneMatch: "*" })));
        return true;
      } catch (error) {
        if (isNamed(error, "PreconditionFailed")) return false;
        throw error;
      }
    },
  };
}

/** Content of a new version, its author and time. */
interface Author {
  by: string;
  at: Date;
  content: unknown;
  form?: number | undefined;
  revertsTo?: number;
}

/** The most bytes of a document: functions keep it in memory. */
const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;

/** A document that functions must not use: what is in it may reach the cluster, which deep nesting ends. */
class UnusableDocument extends Error {}

/** Returns the text of a document. Throws UnusableDocument if it is larger, or nested deeper, than a request may be. */
function usable(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new UnusableDocument(`has ${bytes.length} bytes; at most ${MAX_DOCUMENT_BYTES} are read`);
  }
  const tooDeep = nestingIssue(bytes);
  if (tooDeep) throw new UnusableDocument(`${tooDeep.message} at ${tooDeep.path}`);
  return text;
}

/** Returns the text of a version, as functions read it. It must be JSON of the version, and may have more members. */
export type TextOf = (version: DocumentVersion) => string;

const versionBy = (version: number, { by, at, content, form, revertsTo }: Author): DocumentVersion => ({
  version,
  written_at: at.toISOString(),
  written_by: by,
  ...(revertsTo !== undefined && { reverts_to: revertsTo }),
  ...(form !== undefined && { form }),
  content,
});

/** The versions of one document. */
export function versionedDocument(bucket: DocumentBucket, name: string, textOf: TextOf = JSON.stringify) {
  const read = async (version: number): Promise<DocumentVersion | undefined> => {
    const text = await readText(bucket, keyOf(name, version));
    return text === undefined ? undefined : v.parse(Version, JSON.parse(text));
  };

  /** Returns the numbers of all versions, newest first. */
  const numbers = async (): Promise<number[]> => {
    const keys = (await listed(bucket, `${folderOf(name)}versions/`)).map(({ key }) => key);
    return keys.map((key) => Number(key.slice(-"00000000.json".length, -".json".length))).sort((a, b) => b - a);
  };

  /** Copies the newest version to where functions read it, again if another one has been written meanwhile. */
  const publish = async (): Promise<void> => {
    for (let published: number | undefined; ; ) {
      const [newest] = await numbers();
      if (newest === undefined || newest === published) return;
      const version = await read(newest);
      if (version) await bucket.write(currentKey(name), textOf(version));
      published = newest;
    }
  };

  return {
    read,
    numbers,
    publish,

    /** Returns the newest version; undefined if the document has never been written. */
    async newest(): Promise<DocumentVersion | undefined> {
      const [newest] = await numbers();
      return newest === undefined ? undefined : read(newest);
    },

    /** Returns the draft; undefined if there is none. */
    async draft(): Promise<DocumentVersion | undefined> {
      const text = await readText(bucket, draftKey(name));
      return text === undefined ? undefined : v.parse(Version, JSON.parse(text));
    },

    /** Writes a draft in place of the one before. Throws if functions could not use it. It has the number of the version that it would be. */
    async writeDraft(previous: number, author: Author): Promise<DocumentVersion> {
      const draft = versionBy(previous + 1, author);
      await bucket.write(draftKey(name), usable(textOf(draft)));
      return draft;
    },

    /**
     * Writes the version after `previous` and publishes it. Returns undefined, and changes nothing, if somebody else has
     * written a version after `previous`. Throws if functions could not use it.
     */
    async write(previous: number, author: Author): Promise<DocumentVersion | undefined> {
      const version = versionBy(previous + 1, author);
      usable(textOf(version));
      if (!(await bucket.create(keyOf(name, version.version), JSON.stringify(version)))) return undefined;
      await publish();
      return version;
    },
  };
}

export type VersionedDocument = ReturnType<typeof versionedDocument>;

/** Reads an object; "unchanged" if it still has this ETag. Rejects if it does not exist. */
export type ReadIfChanged = (
  etag: string | undefined,
  deadline: Deadline,
) => Promise<{ text: string; etag: string | undefined } | "unchanged">;

/** A document as a function uses it. */
export interface CurrentDocument<T> {
  version: number;
  content: T;
  /** Why a newer version, if there is one, is not in use. Undefined if the document could be read. */
  failure?: StoreFailure;
}

/** Returns the version that a text holds. Throws if it is of a form that this version does not know. */
type OpenVersion<T> = (text: string) => Pick<CurrentDocument<T>, "version" | "content">;

/** Returns what opens the versions of a document whose content is read as a whole. */
export const parsedBy =
  <T>(parse: (content: unknown, form: number | undefined) => T): OpenVersion<T> =>
  (text) => {
    const { version, form, content } = v.parse(Version, JSON.parse(text));
    return { version, content: parse(content, form) };
  };

/** Returns the current version. Rejects only if it could never be read. */
export type DocumentReader<T> = (deadline: Deadline) => Promise<CurrentDocument<T>>;

/** How long a document is used before it is read again, and until the next attempt if that fails. */
const KEPT_MS = 30_000;
const RETRY_MS = 5_000;

interface ReaderOptions {
  now?: () => number;
  /** With 0, each request asks whether the document has changed. */
  keptMs?: number;
  /** Whether requests continue without a document that was never read, without waiting for read retries. */
  isOptional?: boolean;
}

/**
 * Reads a document every half minute, so that a change is in use within a minute. Requests share a read. If the document
 * cannot be read, is of a form that this version does not know, or is too large or too deep, the version before stays in use and says why.
 */
export function documentReader<T>(
  what: string,
  read: ReadIfChanged,
  open: OpenVersion<T>,
  { now = () => performance.now(), keptMs = KEPT_MS, isOptional = false }: ReaderOptions = {},
): DocumentReader<T> {
  let kept: (CurrentDocument<T> & { etag: string | undefined; until: number }) | undefined;
  let failed: { error: unknown; until: number } | undefined;
  let reading: Promise<void> | undefined;
  const refresh = async (deadline: Deadline) => {
    try {
      const found = await read(kept?.etag, deadline);
      if (found === "unchanged" && kept) {
        const { failure: _, ...rest } = kept;
        kept = { ...rest, until: now() + keptMs };
        return;
      }
      if (found === "unchanged") throw new Error("the document is said to be unchanged, but was never read");
      kept = { ...open(usable(found.text)), etag: found.etag, until: now() + keptMs };
    } catch (error) {
      if (!kept && isOptional) failed = { error, until: now() + RETRY_MS };
      if (!kept) throw error;
      const failure = failureOf(what, error);
      if (error instanceof UnusableDocument) failure.reason = `${what} ${error.message}`;
      kept = { ...kept, failure, until: now() + RETRY_MS };
    }
  };
  return async (deadline) => {
    if (!kept && failed && now() < failed.until) throw failed.error;
    if (!kept || now() >= kept.until) {
      reading ??= refresh(deadline).finally(() => {
        reading = undefined;
      });
      await reading;
    }
    if (!kept) throw new Error("the document was read, but is not there");
    const { version, content, failure } = kept;
    return { version, content, ...(failure && { failure }) };
  };
}
