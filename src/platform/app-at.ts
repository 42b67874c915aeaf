import { parseUrl } from "../protocol/url.ts";

/**
 * The installed app to which a request went: of those at its origin the one whose base path leads there, else the first.
 * Addresses are compared in their parts, because as text one port, or one path, is the beginning of another.
 * @returns null where no app has this origin
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
