import { parseUrl } from "../protocol/url.ts";

/**
 * The installed app that a request went to: of those at its origin, the one whose base path matches, otherwise the
 * first. Addresses are compared by components, because as text one port or path may be the beginning of another.
 * @returns null if no app has this origin
 */
export function appAt<App extends { readonly url: string }>(apps: readonly App[], address: string): App | null {
  const url = parseUrl(address);
  const there = apps.filter((app) => new URL(app.url).origin === url?.origin);
  const depth = (app: App) => basePath(app).length;
  const [nearest] = there
    .filter((app) => `${url?.pathname}/`.startsWith(`${basePath(app)}/`))
    .sort((one, other) => depth(other) - depth(one));
  return nearest ?? there[0] ?? null;
}

function basePath({ url }: { readonly url: string }): string {
  return new URL(url).pathname.replace(/\/+$/, "");
}
