/** Partitions by the start of their regions' names, with the end of their host names. Source: botocore, partitions.json. */
const PARTITIONS = [
  ["cn-", "aws-cn", "amazonaws.com.cn"],
  ["us-gov-", "aws-us-gov", "amazonaws.com"],
  ["us-iso-", "aws-iso", "c2s.ic.gov"],
  ["us-isob-", "aws-iso-b", "sc2s.sgov.gov"],
] as const;

const placeOf = (region: string) => PARTITIONS.find(([start]) => region.startsWith(start));

/** Returns the partition of a region: "aws", or that of China's or the US government's regions. */
export function partitionOf(region: string): string {
  return placeOf(region)?.[1] ?? "aws";
}

/** Returns the last part of the host names of AWS's services in a region. */
export function domainSuffixOf(region: string): string {
  return placeOf(region)?.[2] ?? "amazonaws.com";
}
