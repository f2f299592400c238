const HOST = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Returns the cluster's origin: adds `https://` to a bare host name and removes a slash at the end. */
export function clusterUrl(domain: string): string {
  return new URL(domain.includes("://") ? domain : `https://${domain}`).origin;
}

/** Returns whether the text is a host name or an origin that the gateway may call: https, or http on this machine. */
export function isClusterAddress(domain: string): boolean {
  if (HOST.test(domain)) return domain.includes(".");
  if (!URL.canParse(domain)) return false;
  const { protocol, hostname, pathname, search, hash, username } = new URL(domain);
  const loopback = hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]";
  return (
    (protocol === "https:" || (protocol === "http:" && loopback)) &&
    pathname === "/" &&
    search === "" &&
    hash === "" &&
    username === ""
  );
}
