import type { ConnectionClass, TransportClass } from "./client-parts.ts";

export type AuthHeaders = Readonly<Record<string, string>>;

/** How the gateway proves itself to the cluster. */
export interface ClusterAuth {
  /** Headers of each call. */
  headers?(): Promise<AuthHeaders>;
  /** Called on a 401 with the headers that were refused; whether `headers` now gives others. */
  renew?(refused: AuthHeaders): Promise<boolean>;
  /** Transport and connection that sign each call. */
  signer?(): { Connection: ConnectionClass; Transport: TransportClass };
}

/** No fine-grained access control: nothing is sent. */
export const noAuth: ClusterAuth = {};

/** The account and password of the secret named by master_user_secret_arn. */
export interface BasicCredentials {
  username: string;
  password: string;
}

/**
 * Basic authentication. The secret is read once, at the first call, and again when the cluster answers 401: calls
 * that are refused at the same time share one reading.
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
