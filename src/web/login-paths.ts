/** Address of the page on which a login begins (interface 3.1). */
export function loginPath(domain: string): string {
  return `/${domain}/login`;
}

/** Address of the page of one login; what belongs to it lies below. */
export function oneLoginPath(domain: string, id: string): string {
  return `${loginPath(domain)}/${id}`;
}
