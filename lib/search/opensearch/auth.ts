import type { Connection } from "@opensearch-project/opensearch";

export type AuthHeaders = Readonly<Record<string, string>>;

/** How a client of the cluster authenticates. */
export interface ClusterAuth {
  /** Returns the headers to add to a call. */
  headers?(): Promise<AuthHeaders>;
  /** Called after a 401 with the rejected headers. Returns whether `headers` now returns different ones. */
  renew?(refused: AuthHeaders): Promise<boolean>;
  /** The connection class that signs each call with these credentials. */
  signer?: { Connection: typeof Connection; credentials(): object };
}

/** Sends no credentials, for a cluster without fine-grained access control. */
export const noAuth: ClusterAuth = {};

/** The user name and password in the secret that master_user_secret_arn names. */
export interface BasicCredentials {
  username: string;
  password: string;
}

/**
 * Returns basic authentication. Reads the secret on the first call, and again when the cluster answers 401. Calls that
 * are rejected at the same time share one read.
 */
export function basicAuth(readSecret: () => Promise<BasicCredentials>): ClusterAuth {
  let current: Promise<string> | undefined;
  let renewing: Promise<string> | undefined;

  const read = async () => {
    const { username, password } = await readSecret();
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  };

  return {
    async headers() {
      current ??= read();
      try {
        return { authorization: await current };
      } catch (error) {
        current = undefined;
        throw error;
      }
    },
    async renew(refused) {
      if ((await current) !== refused.authorization) return true;
      renewing ??= read().finally(() => {
        renewing = undefined;
      });
      const fresh = await renewing;
      current = Promise.resolve(fresh);
      return fresh !== refused.authorization;
    },
  };
}
