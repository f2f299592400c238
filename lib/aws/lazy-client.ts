import { once } from "../core/resilience/once.ts";

/** Returns a function that loads an SDK and makes its client on first use. After a failure, the next call tries again. */
export function lazyClient<Sdk, Client>(
  load: () => Promise<Sdk>,
  connect: (sdk: Sdk) => Client,
): () => Promise<readonly [Sdk, Client]> {
  return once(async () => {
    const sdk = await load();
    return [sdk, connect(sdk)] as const;
  });
}
