import { baseModelId, hostedRerankers, previousModels, referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { type BedrockModel, isEndpointModel } from "../../lib/settings/embedding-models.ts";
import { bedrockModelId } from "../../lib/settings/model-sources.ts";
import type { DiscoveryClients } from "../discovery/clients.ts";

/** When a model on Bedrock ends, as GetFoundationModel says; without dates while AWS has set none. */
export interface ModelLifecycle {
  status: string | undefined;
  legacy: Date | undefined;
  end: Date | undefined;
}

interface EndDates {
  now: Date;
  /** Returns undefined for a model that the region does not have. */
  lifecycleOf(model: string): Promise<ModelLifecycle | undefined>;
  certificate: DiscoveryClients["certificate"];
}

/** A note appears so many days before the end. */
const NOTICE_DAYS = 365;
const DAY_MS = 86_400_000;
/** Milliseconds that a plan waits for an answer. */
const ASKING_MS = 10_000;

/** When Lambda ends runtimes. Source: Lambda Developer Guide, "Runtime deprecation policy". */
const RUNTIME_ENDS = {
  "nodejs22.x": { end: "2027-04-30", created: "2027-06-01", updated: "2027-07-01" },
  "nodejs24.x": { end: "2028-04-30", created: "2028-06-01", updated: "2028-07-01" },
} as const satisfies Record<Configuration["project"]["aws"]["lambda_runtime"], object>;

/** Returns notes on what ends soon: the runtime of the functions and models of Bedrock; and on certificates that ended. */
export async function endDateNotes(
  config: Configuration,
  { now, lifecycleOf, certificate }: EndDates,
): Promise<string[]> {
  const { lambda_runtime: runtime } = config.project.aws;
  const { end, created, updated } = RUNTIME_ENDS[runtime];
  const late = new Date(end).getTime() - now.getTime() < NOTICE_DAYS * DAY_MS;
  return [
    ...(late
      ? [
          `Lambda ends ${runtime}, the runtime of the functions, on ${end}: it creates none with it from ${created} on, and updates none ` +
            `from ${updated} on. Upgrade relevance before`,
        ]
      : []),
    ...(await modelNotes(config, lifecycleOf)),
    ...(await certificateNotes(config, now, certificate)),
  ];
}

async function certificateNotes(
  { api }: Configuration,
  now: Date,
  certificate: EndDates["certificate"],
): Promise<string[]> {
  const hosts = {
    domain_name_system: api.domain_name_system,
    recommendation_domain_name: api.recommendation_domain_name,
  };
  const notes = Object.entries(hosts).map(async ([key, host]) => {
    if (!host) return [];
    // Discovery says what is wrong if it cannot be read.
    const found = await certificate(host.certificate_arn).catch(() => undefined);
    if (found?.expires === undefined || found.expires > now) return [];
    return [`${key}: the certificate expired on ${day(found.expires)}, so clients refuse the host name: renew it`];
  });
  return (await Promise.all(notes)).flat();
}

async function modelNotes({ searchGateway }: Configuration, lifecycleOf: EndDates["lifecycleOf"]): Promise<string[]> {
  if (!searchGateway) return [];
  const hosted = [...new Set([...referencedModels(searchGateway), ...previousModels(searchGateway)])].filter(
    (name): name is BedrockModel => !isEndpointModel(name),
  );
  const embed = hosted.map((name) => ({
    name,
    id: baseModelId(bedrockModelId(name, searchGateway.models)),
    next: '. Another model needs all embeddings anew: docs/guides/models.md, "A previous model"',
  }));
  const rerank = hostedRerankers(searchGateway).map((id) => ({ name: "rerank", id: baseModelId(id), next: "" }));
  try {
    const notes = await Promise.all(
      [...embed, ...rerank].map(async ({ name, id, next }) => {
        const found = await lifecycleOf(id);
        if (!found || (found.status !== "LEGACY" && found.end === undefined)) return [];
        const legacy = found.status === "LEGACY" ? "is a legacy model" : "becomes one of the legacy models";
        const since = found.legacy ? ` (${found.status === "LEGACY" ? "since" : "on"} ${day(found.legacy)})` : "";
        const end = found.end ? `, and Bedrock ends it on ${day(found.end)}` : "";
        return [`${name}: ${id} ${legacy}${since}${end}${next}`];
      }),
    );
    return notes.flat();
  } catch (error) {
    // A plan must not fail for a note, as where the network leads to no control plane of Bedrock.
    const why =
      failureKind(error) === "denied"
        ? "The credentials may not call"
        : `There is no answer (${(error as Error).name}) to`;
    return [`${why} bedrock:GetFoundationModel, so the plan does not say when models end`];
  }
}

const day = (date: Date) => date.toISOString().slice(0, 10);

/** Asks Bedrock. A provisioned or imported model has no foundation model of this name. */
export function sdkLifecycles(config: { region: string }): EndDates["lifecycleOf"] {
  return async (modelIdentifier) => {
    const { BedrockClient, GetFoundationModelCommand } = await import("@aws-sdk/client-bedrock");
    try {
      const client = new BedrockClient({ ...config, maxAttempts: 2 });
      const options = { abortSignal: AbortSignal.timeout(ASKING_MS) };
      const { modelDetails } = await client.send(new GetFoundationModelCommand({ modelIdentifier }), options);
      const { status, legacyTime, endOfLifeTime } = modelDetails?.modelLifecycle ?? {};
      return { status, legacy: legacyTime, end: endOfLifeTime };
    } catch (error) {
      if (/^(ResourceNotFound|Validation)Exception$/.test((error as Error).name)) return undefined;
      throw error;
    }
  };
}
