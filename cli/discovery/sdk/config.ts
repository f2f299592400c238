/** Configuration of all clients. Credentials default to the SDK's chain. */
export interface SdkConfig {
  region: string;
  /** URL of a local AWS endpoint. */
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** Returns a value that the service always sends. Throws if it is missing. */
export function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`AWS did not send ${what}`);
  return value;
}

/** Returns tags as a record. */
export function tagsOf(tags: ReadonlyArray<{ Key?: string | undefined; Value?: string | undefined }> = []) {
  return Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value]));
}
