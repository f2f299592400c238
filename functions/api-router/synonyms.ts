import type { AwsVariables } from "../../lib/platform/aws/signed-call.ts";
import { signedIfChanged } from "../../lib/platform/aws/signed-object.ts";
import { currentKey } from "../../lib/platform/aws/versioned-documents.ts";
import { type SynonymReader, synonymReader } from "../../lib/search/synonyms/document.ts";
import { SYNONYMS } from "../../lib/search/synonyms/name.ts";

/** Milliseconds for one attempt to read the document. */
const READ_MS = 3_000;

/** Returns the reader of the synonyms in use. */
export const openSynonyms = (bucket: string, variables: () => AwsVariables): SynonymReader =>
  synonymReader(signedIfChanged(variables, { bucket, key: currentKey(SYNONYMS), timeoutMs: READ_MS }));
