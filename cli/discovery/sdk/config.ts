/** What every client is made with. Credentials are the SDK's default chain unless given. */
export interface SdkConfig {
  region: string;
  /** Of a local AWS endpoint. */
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
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
