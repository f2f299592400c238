/**
 * Returns the parameter beside a campaign's: it holds the ARN of the solution version that the campaign serves, which the
 * runtime of Personalize does not tell.
 */
export const versionParameter = (campaignParameter: string): string => `${campaignParameter}/version`;
