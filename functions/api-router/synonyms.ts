import { currentKey, s3IfChanged } from "../../lib/aws/versioned-documents.ts";
import { once } from "../../lib/core/resilience/once.ts";
import { SYNONYMS, type SynonymReader, synonymReader } from "../../lib/search/synonyms/document.ts";

/** Milliseconds for one attempt to read the document. */
const READ_MS = 3_000;

/** Returns the reader of the synonyms in use. The SDK is loaded on first use. */
export function openSynonyms(bucket: string): SynonymReader {
  const connect = once(async () => {
    const { S3Client } = await import("@aws-sdk/client-s3");
    return new S3Client({ maxAttempts: 1 });
  });
  return synonymReader(s3IfChanged(connect, { bucket, key: currentKey(SYNONYMS), timeoutMs: READ_MS }));
}
