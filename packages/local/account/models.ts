import { namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { Models } from "@relevance/lib/settings/model.ts";
import { ACCOUNT_ID } from "@relevance/local-aws/cloud/account.ts";
import type { Control, StandIn } from "@relevance/local-aws/cloud/stand-in.ts";
import { endpointOf, unknownEndpoint } from "@relevance/local-models/sagemaker-runtime.ts";
import type { ModelStandIns } from "@relevance/local-models/stand-ins.ts";
import * as v from "valibot";
import { endpointModels, openModels } from "../dev/models.ts";

/** Unsigned path at which `deploy` registers the models of a project. */
export const MODELS_PATH = "/_account/models";

const Deployed = v.object({ project: v.string(), region: v.string(), models: v.record(v.string(), v.unknown()) });

/** Body that `deploy` sends to {@link MODELS_PATH}. */
export interface DeployedModels {
  project: string;
  region: string;
  /** model.yaml. */
  models: Models;
}

interface Served {
  endpoints: ReadonlySet<string>;
  standIns: Promise<ModelStandIns>;
}

/**
 * Serves the models of every deployed project under its endpoint names. Earlier endpoints of a project also work,
 * because they exist until a deployment has replaced them.
 */
export function createProjectModels(dir: string): StandIn & { control: Control } {
  /** Registered projects, latest first. */
  const served: Served[] = [];
  return {
    services: ["sagemaker-runtime", "bedrock-runtime"],
    async handle(request) {
      const endpoint = endpointOf(request);
      const found = endpoint === undefined ? served[0] : served.find(({ endpoints }) => endpoints.has(endpoint));
      return found ? (await found.standIns).handle(request) : unknownEndpoint(endpoint ?? request.path);
    },
    control: {
      path: MODELS_PATH,
      handle({ body }) {
        const { project, region, models: sent } = v.parse(Deployed, JSON.parse(body.toString()));
        const models = sent as Models;
        const names = namesOf({ project, region, account: ACCOUNT_ID });
        const described = [models, models.previous ?? {}];
        const endpoints = new Set(described.flatMap((one) => [...endpointModels(one, names).keys()]));
        const standIns = openModels({ urls: {}, names, dir, models }).then((opened) => opened.standIns);
        served.unshift({ endpoints, standIns });
        return { status: 200, body: "{}" };
      },
    },
  };
}
