/** The region and account of the local cloud. */
export const REGION = "eu-west-1";
export const ACCOUNT_ID = "123456789012";

/** Returns the options of SDK clients that call the cloud as the account's root user. */
export function rootOptions({ endpoint, region = REGION }: { endpoint: string; region?: string }) {
  return { endpoint, region, credentials: { accessKeyId: "test", secretAccessKey: "test" } };
}
