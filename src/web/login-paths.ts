/** The domain of the organization, with which the paths of its pages begin; null: it has none, and they begin without. */
export type PathDomain = string | null;

/** Address of the page on which a login begins (interface 3.1). */
export function loginPath(domain: PathDomain): string {
  return `${beginOf(domain)}/login`;
}

/** Address of the page of one login; what belongs to it lies below. */
export function oneLoginPath(domain: PathDomain, id: string): string {
  return `${loginPath(domain)}/${id}`;
}

/** Address that apps redirect users to from the pages of their guards (interface 4.1). */
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
