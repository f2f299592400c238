import { isDeepStrictEqual } from "node:util";
import {
  type DocumentVersion,
  s3DocumentBucket,
  type VersionedDocument,
  versionedDocument,
} from "../lib/aws/versioned-documents.ts";
import type { Names } from "../lib/core/naming/names.ts";
import { Failure, UsageError } from "./errors.ts";
import { shownTime, type Terminal } from "./terminal.ts";

/** Configuration of SDK clients. */
export type Sdk = { region: string; endpoint?: string; credentials?: { accessKeyId: string; secretAccessKey: string } };

/** A kind of document that operators change without a deployment. */
export interface DocumentKind<Value> {
  /** Its name in the bucket and in commands, which is a plural. */
  name: string;
  /** The file in the configuration folder that it comes from, for hints. */
  source: string;
  /** The value before the first version. */
  none: Value;
  /** Throws if the content is of a form that this version of the tool does not know. */
  parse(content: unknown): Value;
  contentOf(value: Value): unknown;
  /** Describes each change in one line. */
  changes(before: Value, after: Value): string[];
}

type Named = Pick<DocumentKind<unknown>, "name">;

/** What was written, and what it changed; nothing if the newest version has the same content. */
interface Written {
  version: DocumentVersion;
  changes: string[];
}

/** Opens the versions of a document in the project's bucket. */
export async function openDocument({ name }: Named, sdk: Sdk, names: Names): Promise<VersionedDocument> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ ...sdk, maxAttempts: 1 });
  return versionedDocument(s3DocumentBucket(client, names.bucket()), name);
}

/** Returns the ARN of whoever the credentials belong to, as STS names it. */
async function identityOf(sdk: Sdk): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
  const { Arn } = await new STSClient(sdk).send(new GetCallerIdentityCommand({}));
  return Arn ?? "unknown";
}

/** Returns the newest version; undefined before the first, and if the bucket does not exist yet. Throws Failure. */
export function newestVersion(kind: Named, document: VersionedDocument): Promise<DocumentVersion | undefined> {
  return explained(
    kind,
    document.newest().catch((error: Error) => {
      if (error.name === "NoSuchBucket") return undefined;
      throw error;
    }),
  );
}

/** Returns the value of a version. Throws Failure if this version of the tool does not know it. */
export function valueIn<Value>(kind: DocumentKind<Value>, version: DocumentVersion | undefined): Value {
  if (version === undefined) return kind.none;
  try {
    return kind.parse(version.content);
  } catch (error) {
    const message = `Version ${version.version} of the ${kind.name} has settings that this version of relevance does not know`;
    throw new Failure(message, { cause: error });
  }
}

/** Returns notes for the plan on what `deploy` changes. Says whose version it replaces. */
export async function documentNotes<Value>(
  kind: DocumentKind<Value>,
  document: VersionedDocument,
  value: Value,
): Promise<string[]> {
  const newest = await newestVersion(kind, document);
  const changes = kind.changes(valueIn(kind, newest), value);
  if (changes.length === 0 || newest === undefined) return changes;
  return [
    ...changes,
    `Version ${newest.version} of the ${kind.name}, which deploy replaces, is by ${newest.written_by}`,
  ];
}

/**
 * Writes a value as a new version, unless it is that of the newest one. Returns the version in use, and what changed.
 * Throws Failure if somebody else writes at the same time.
 */
export async function writeDocument<Value>(
  kind: DocumentKind<Value>,
  document: VersionedDocument,
  sdk: Sdk,
  value: Value,
  revertsTo?: number,
): Promise<Written> {
  const newest = await newestVersion(kind, document);
  const before = valueIn(kind, newest);
  if (newest && isDeepStrictEqual(before, value)) {
    // An interrupted run may have written the version without putting it into use.
    await explained(kind, document.publish());
    return { version: newest, changes: [] };
  }
  const written = await explained(
    kind,
    document.write(newest?.version ?? 0, {
      by: await identityOf(sdk),
      at: new Date(),
      content: kind.contentOf(value),
      ...(revertsTo !== undefined && { revertsTo }),
    }),
  );
  if (written) return { version: written, changes: kind.changes(before, value) };
  throw new Failure(
    `Somebody else has just written another version of the ${kind.name}: see \`relevance ${kind.name} versions\`, then run this again`,
  );
}

/** Puts a value into use at the end of a deployment's step. */
export async function synchronizeDocument<Value>(
  kind: DocumentKind<Value>,
  document: VersionedDocument,
  { sdk, terminal }: { sdk: Sdk; terminal: Terminal },
  value: Value,
): Promise<void> {
  const { version, changes } = await writeDocument(kind, document, sdk, value);
  for (const change of changes) terminal.note(`  ${change}`);
  if (changes.length > 0) terminal.note(`  ${kind.name}: version ${version.version}`);
}

/** Where commands print. */
export interface Output {
  terminal: Terminal;
  json: boolean;
}

/** Prints what `apply` has written. */
export function printApplied({ name }: Named, { version, changes }: Written, { terminal, json }: Output) {
  if (json) {
    terminal.printJson({ version: version.version, written_by: version.written_by, changes });
    return;
  }
  for (const change of changes) terminal.print(change);
  terminal.print(
    changes.length === 0
      ? `No changes: version ${version.version} is in use`
      : `Version ${version.version} is in use within a minute. \`relevance ${name} revert\` takes it back`,
  );
}

/** Versions that are listed. */
const LISTED = 20;

/** Prints the last versions, newest first, which is the one in use. */
export async function printVersions<Value>(
  kind: DocumentKind<Value>,
  document: VersionedDocument,
  { terminal, json }: Output,
): Promise<void> {
  const numbers = await explained(kind, document.numbers());
  // One more, which the last of them is compared with.
  const read = await explained(kind, Promise.all(numbers.slice(0, LISTED + 1).map(document.read)));
  const versions = read.slice(0, LISTED).flatMap((version, index) => {
    if (!version) return [];
    const changes = kind.changes(valueIn(kind, read[index + 1]), valueIn(kind, version));
    const { content: _, ...about } = version;
    return [{ ...about, changes }];
  });
  if (json) {
    terminal.printJson(versions);
    return;
  }
  if (versions.length === 0) {
    terminal.print(`There are no versions: \`relevance ${kind.name} apply\` writes the first`);
    return;
  }
  for (const { version, written_at, written_by, reverts_to, changes } of versions) {
    const end = reverts_to === undefined ? "" : `  brings back version ${reverts_to}`;
    terminal.print(`${version}  ${shownTime(written_at)}  ${written_by}${end}`);
    for (const change of changes) terminal.print(`   ${change}`);
  }
  if (numbers.length > LISTED) terminal.note(`${numbers.length - LISTED} earlier versions are not listed.`);
}

/** Writes the content of an earlier version, by default of the one before the newest, as a new one, and prints it. */
export async function revert<Value>(
  kind: DocumentKind<Value>,
  document: VersionedDocument,
  { sdk, given }: { sdk: Sdk; given: string | undefined },
  { terminal, json }: Output,
): Promise<void> {
  const { name, source } = kind;
  const newest = await newestVersion(kind, document);
  if (!newest)
    throw new Failure(`There is no version of the ${name} yet: \`relevance ${name} apply\` writes the first`);
  const wanted = given === undefined ? newest.version - 1 : Number(given);
  if (given !== undefined && !/^[1-9]\d{0,7}$/.test(given))
    throw new UsageError(`"${given}" is not the number of a version`);
  const old = wanted > 0 ? await explained(kind, document.read(wanted)) : undefined;
  if (!old) throw new Failure(`There is no version ${wanted} of the ${name}: see \`relevance ${name} versions\``);
  const { version, changes } = await writeDocument(kind, document, sdk, valueIn(kind, old), wanted);
  if (json) {
    terminal.printJson({ version: version.version, written_by: version.written_by, reverts_to: wanted, changes });
    return;
  }
  for (const change of changes) terminal.print(change);
  terminal.print(
    changes.length === 0
      ? `No changes: version ${version.version} has the ${name} of version ${wanted}`
      : `Version ${version.version}, with the ${name} of version ${wanted}, is in use within a minute`,
  );
  if (changes.length > 0) terminal.note(`${source} still has the others: the next apply or deploy brings them back.`);
}

/** Awaits calls to the bucket. Throws Failure with what the credentials need, or what S3 says. */
async function explained<T>({ name: kind }: Named, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const advice =
      $metadata?.httpStatusCode === 403
        ? `. The credentials need s3:ListBucket on the project's bucket, s3:GetObject and s3:PutObject on documents/${kind}/*, and kms:Decrypt and kms:GenerateDataKey on its key`
        : name === "NoSuchBucket"
          ? ". Run `relevance deploy` first"
          : "";
    throw new Failure(`The ${kind} cannot be read or written: ${name}: ${message}${advice}`, { cause: error });
  }
}
