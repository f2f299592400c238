import { join } from "node:path";
import type { StandIn } from "@relevance/local-aws/cloud/stand-in.ts";
import { openPersonalize } from "../dev/recommendation.ts";

/** Returns the local Personalize, with separate data for each region below the folder. */
export function personalizeByRegion(folder: string, endpoint: Promise<string>): StandIn {
  const regions = new Map<string, StandIn>();
  return {
    services: ["personalize"],
    handle(request) {
      const { region } = request;
      const known = regions.get(region) ?? openPersonalize(join(folder, region), endpoint, { region });
      regions.set(region, known);
      return known.handle(request);
    },
  };
}
