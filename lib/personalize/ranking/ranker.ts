import type { PersonalizeRuntimeClient, PersonalizeRuntimeClientConfig } from "@aws-sdk/client-personalize-runtime";

/** Ranks item ids for a user: the ids in their personal order, `scored` false for those that the model does not know. */
export interface PersonalRanker {
  rank(
    userId: string,
    itemIds: readonly string[],
    timeoutMs: number,
  ): Promise<Array<{ itemId: string; scored: boolean }>>;
}

/** Why a personal ranking failed, fit for a caller. */
export class RankingError extends Error {
  override name = "RankingError";
}

/** `GetPersonalizedRanking` of one campaign. The SDK is loaded by the first call; it never retries by itself. */
export function campaignRanker(campaignArn: string, config: PersonalizeRuntimeClientConfig = {}): PersonalRanker {
  let client: Promise<PersonalizeRuntimeClient> | undefined;
  const sdk = () => import("@aws-sdk/client-personalize-runtime");
  const connect = async () => new (await sdk()).PersonalizeRuntimeClient({ ...config, maxAttempts: 1 });

  return {
    async rank(userId, itemIds, timeoutMs) {
      const timeout = Math.round(timeoutMs);
      try {
        client ??= connect();
        const [{ GetPersonalizedRankingCommand }, runtime] = await Promise.all([sdk(), client]);
        const command = new GetPersonalizedRankingCommand({ campaignArn, userId, inputList: [...itemIds] });
        const { personalizedRanking = [] } = await runtime.send(command, { abortSignal: AbortSignal.timeout(timeout) });
        return personalizedRanking.flatMap(({ itemId, score }) =>
          itemId === undefined ? [] : [{ itemId, scored: score !== undefined }],
        );
      } catch (error) {
        throw new RankingError(reasonOf(error, timeout), { cause: error });
      }
    },
  };
}

function reasonOf(error: unknown, timeout: number): string {
  const { name } = error as Error;
  if (name === "AbortError" || name === "TimeoutError") return `the personal ranking timed out after ${timeout} ms`;
  if (name === "ThrottlingException") return "the personal ranking is throttled";
  if (name === "ResourceNotFoundException") return "the campaign does not exist or is not active";
  return "the personal ranking failed";
}
