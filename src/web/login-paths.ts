/** The organization's domain, the first segment of its pages' paths; null if it has none, and the paths omit it. */
export type PathDomain = string | null;

/** Path of the page where a login begins (interface 3.1). */
export function loginPath(domain: PathDomain): string {
  return `${beginOf(domain)}/login`;
}

/** Path of the page of one login; the paths of its parts are below it. */
export function oneLoginPath(domain: PathDomain, id: string): string {
  return `${loginPath(domain)}/${id}`;
}

/** Path that apps redirect users to from the pages of their guards (interface 4.1). */
export function guardCallbackPath(domain: PathDomain): string {
  return `${beginOf(domain)}/guard/callback`;
}

/** The organization in words, for pages. */
export function organizationText(domain: PathDomain): string {
  return domain ?? "an organization without a domain";
}

function beginOf(domain: PathDomain): string {
  return domain === null ? "" : `/${domain}`;
}
