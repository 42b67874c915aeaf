/** The value of Sec-Fetch-Site for a request that a page makes. All ports of a host are the same site. */
export function siteOf(from: URL, to: URL): "same-origin" | "same-site" | "cross-site" {
  if (from.origin === to.origin) return "same-origin";
  return from.protocol === to.protocol && from.hostname === to.hostname ? "same-site" : "cross-site";
}
