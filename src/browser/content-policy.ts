/** One Content-Security-Policy: the values of each directive, by its name in lower case. */
export type ContentPolicy = ReadonlyMap<string, readonly string[]>;

/** The policies of one header line or meta element: a browser enforces each of them. */
export function readPolicies(line: string): ContentPolicy[] {
  return line.split(",").map((policy) => {
    const directives = policy
      .split(";")
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = "", ...values]) => [name.toLowerCase(), values] as const);
    // Of a duplicate directive the first one counts; Map keeps the last.
    return new Map(directives.reverse());
  });
}

/** The sources that a policy allows for a kind of content; null: any. */
export function sourcesFor(policy: ContentPolicy, ...directives: readonly string[]): readonly string[] | null {
  const named = directives.find((directive) => policy.has(directive));
  return named === undefined ? null : (policy.get(named) ?? null);
}

/** Whether one of the sources matches an address, as browsers match them (Content Security Policy Level 3, 6.7.2). */
export function allowsAddress(sources: readonly string[], address: URL, self: URL): boolean {
  return sources.some((source) => matches(source.toLowerCase(), address, self));
}

/** Whether a policy sandboxes its page without permission to submit forms. */
export function hasNoForms(policy: ContentPolicy): boolean {
  return policy.get("sandbox")?.includes("allow-forms") === false;
}

/**
 * Whether a policy forbids submitting a form to an address.
 * @param by what leads there; a source's path does not count for a redirect, because not all browsers apply it there
 */
export function forbidsForms(policy: ContentPolicy, target: URL, self: URL, by: "form" | "redirect"): boolean {
  if (hasNoForms(policy)) return true;
  const sources = sourcesFor(policy, "form-action");
  if (sources === null) return false;
  const counted = by === "form" ? sources : sources.map((source) => source.replace(/(?<![:/])\/.*$/, ""));
  return !allowsAddress(counted, target, self);
}

function matches(source: string, address: URL, self: URL): boolean {
  if (source === "*") return true;
  if (source === "'self'") return address.origin === self.origin;
  if (/^[a-z][a-z0-9+.-]*:$/.test(source)) return isScheme(source, address);
  const parts = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+|\[[^\]]*\])(?::(\d+|\*))?(\/.*)?$/.exec(source);
  if (parts === null) return false;
  const [, scheme = self.protocol, host = "", port, path] = parts;
  return isScheme(scheme, address) && isHost(host, address) && isPort(port, address) && isPath(path, address.pathname);
}

function isScheme(scheme: string, { protocol }: URL): boolean {
  return scheme === protocol || (scheme === "http:" && protocol === "https:");
}

function isHost(host: string, { hostname }: URL): boolean {
  return host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : host === hostname;
}

function isPort(port: string | undefined, address: URL): boolean {
  return port === "*" || (port ?? "") === address.port || port === defaultPort(address);
}

function defaultPort({ port, protocol }: URL): string | null {
  if (port !== "") return null;
  return protocol === "https:" ? "443" : "80";
}

function isPath(path: string | undefined, pathname: string): boolean {
  if (path === undefined || path === "/") return true;
  return path.endsWith("/") ? pathname.startsWith(path) : pathname === path;
}
