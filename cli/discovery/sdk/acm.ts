import { ifThere } from "../../../lib/aws/errors.ts";
import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads certificates. */
export function acmReads(config: SdkConfig): Pick<DiscoveryClients, "certificate"> {
  return {
    async certificate(CertificateArn) {
      const { ACMClient, DescribeCertificateCommand } = await import("@aws-sdk/client-acm");
      const answer = new ACMClient(config).send(new DescribeCertificateCommand({ CertificateArn }));
      const found = (await ifThere(answer))?.Certificate;
      if (!found) return undefined;
      const { Status = "of unknown status", DomainName, SubjectAlternativeNames = [], NotAfter } = found;
      const names = new Set([...(DomainName === undefined ? [] : [DomainName]), ...SubjectAlternativeNames]);
      return { status: Status, names: [...names], expires: NotAfter };
    },
  };
}
