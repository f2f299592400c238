import { DescribeSolutionVersionCommand, type SolutionVersion } from "@aws-sdk/client-personalize";
import { ifThere } from "../../aws/errors.ts";
import type { Personalize } from "./personalize.ts";

/** Returns the solution version; undefined if there is none. */
export async function describeVersion(
  personalize: Personalize,
  solutionVersionArn: string,
): Promise<SolutionVersion | undefined> {
  const command = new DescribeSolutionVersionCommand({ solutionVersionArn });
  return (await ifThere(personalize.send(command)))?.solutionVersion;
}
