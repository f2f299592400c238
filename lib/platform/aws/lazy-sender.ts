import { once } from "../resilience/once.ts";

/** Returns a client of the SDK that is loaded by its first call. Has nothing but `send`. */
export function lazySender<Client extends { send: (...sent: never[]) => unknown }>(
  open: () => Promise<Client>,
): Pick<Client, "send"> {
  const opened = once(open);
  return { send: async (...sent: never[]) => (await opened()).send(...sent) } as Pick<Client, "send">;
}
