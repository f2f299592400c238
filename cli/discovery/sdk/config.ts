/** What every client is made with. Credentials are the SDK's default chain unless given. */
export interface SdkConfig {
  region: string;
  /** Of a local AWS endpoint. */
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** Runs once, when first asked. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** The answer, or undefined when the service says by one of these names that the thing is not there. */
export async function unlessAbsent<T>(work: Promise<T>, ...names: readonly string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined;
    throw error;
  }
}

/** A value that the service always gives. */
export function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`AWS did not say ${what}`);
  return value;
}

/** Tags as a record. */
export function tagsOf(tags: ReadonlyArray<{ Key?: string | undefined; Value?: string | undefined }> = []) {
  return Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value]));
}
