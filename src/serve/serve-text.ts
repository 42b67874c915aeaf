import { isDeepStrictEqual } from "node:util";
import type { App } from "../config/schema.ts";
import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { shellWord } from "../output/shell-word.ts";
import { reasonText } from "../output/text.ts";
import type { Manifest } from "../platform/manifest.ts";
import type { ManifestNews } from "../platform/manifest-memory.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { joinUrl } from "../protocol/url.ts";

/** The first line of `serve --format json`, and of `dev`. */
export interface ServeFacts {
  readonly command: "serve" | "dev";
  /** {base_url}, {auth_url}, {api_url} and {sdk_url} of the interface are the same address. */
  readonly url: string;
  /** Where it listens on this machine; it differs from `url` with a public URL. */
  readonly localUrl: string;
  /** The file with the certificate that clients have to trust, null for your own certificate; null: plain HTTP. */
  readonly tls: { readonly caFile: string | null } | null;
  readonly addresses: {
    readonly authorize: string;
    readonly token: string;
    readonly projects: string;
    readonly guardCallback: string;
    readonly login: string;
    readonly script: string;
    /** RFC 8414. */
    readonly metadata: string;
  };
  /** The link that opens the inspector, once; that browser can read the journal and run actions. */
  readonly inspector: string;
  readonly organization: { readonly id: number; readonly domain: string | null };
  readonly consent: string;
  readonly apps: readonly App[];
  readonly faults: readonly string[];
  /** The directory of the journal. */
  readonly journal: string;
  /** The variables of `app-sim env`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Nothing is shortened, because all of it may be copied. */
export function serveText(facts: ServeFacts, paint: Paint): string[] {
  const { url, localUrl, tls, addresses, inspector, consent, apps, faults } = facts;
  const rows = [
    ["platform", `${url}  (base, auth, API and SDK)`],
    ...(localUrl === url ? [] : [["listens at", localUrl]]),
    ["authorize", addresses.authorize],
    ["token", addresses.token],
    ["projects", addresses.projects],
    ["callback", `${addresses.guardCallback}  (of guards)`],
    ["login", addresses.login],
    ["metadata", addresses.metadata],
    ["inspector", inspector],
    ...(consent === "ask" ? [] : [["consent", `${consent}: without asking the user`]]),
    ...faults.map((fault) => ["fault", fault]),
    ...tlsRows(tls),
  ];
  return [
    `${paint.strong(`The platform is ready at ${url}`)} (Ctrl-C ends it)`,
    ...indent(table(rows), 2),
    ...apps.flatMap((app) => ["", ...appLines(app, paint)]),
    "",
  ];
}

/** How clients can trust the platform. */
function tlsRows(tls: ServeFacts["tls"]): string[][] {
  if (tls === null) return [];
  if (tls.caFile === null) return [["certificate", "your own; clients have to trust its issuer"]];
  return [
    ["certificate", `generated for this machine; clients have to trust ${tls.caFile}`],
    ["", `Node.js: NODE_EXTRA_CA_CERTS=${shellWord(tls.caFile)}`],
    ["", `curl: --cacert ${shellWord(tls.caFile)}`],
  ];
}

function appLines({ url, name, clientId, clientSecret, appSecret, redirectUris, scopes }: App, paint: Paint): string[] {
  const rows = [
    ["client id", clientId],
    ["client secret", clientSecret],
    ["app secret", appSecret],
    ...redirectUris.map((uri) => ["redirect URI", uri]),
    ...(redirectUris.length > 0 ? [] : [["redirect URI", "none: register one with --redirect-uri URL"]]),
    ...(scopes.length > 0 ? [["scopes", scopes.join(" ")]] : []),
  ];
  const title = name === undefined ? "App" : `App ${harmlessLine(name)} at`;
  return [`${title} ${paint.strong(url)}`, ...indent(table(rows.map((row) => row.map(harmlessLine))), 2)];
}

/** A line for what a manifest declares or what is wrong with it, and one for each warning. */
export function manifestNewsText(news: ManifestNews): string[] {
  const { app, source, before, manifest, problem, warnings } = news;
  if (problem !== null) {
    const missing = `no manifest from ${source}: `;
    // The default address: an app without modules needs no manifest.
    if (manifest === null && source === joinUrl(app, "/manifest.json") && problem.reason.startsWith(missing)) {
      return [`no manifest: ${reasonText(problem.reason.slice(missing.length))} (OAuth needs none)`];
    }
    const meanwhile = manifest === null ? "app-sim reads it again when needed" : "the last good one stays in use";
    const hint = problem.hint === null ? "" : ` (${harmlessLine(problem.hint)})`;
    return [`warning: ${reasonText(problem.reason)}${hint}; ${meanwhile}`];
  }
  if (manifest === null) return [];
  const declared = () => [...declaredBy(manifest).keys()].join(", ") || "no modules";
  const what = before === null ? declared() : changesText(before, manifest);
  return [`manifest of ${app}: ${reasonText(what)}`, ...warnings.map((warning) => `warning: ${reasonText(warning)}`)];
}

function changesText(before: Manifest, after: Manifest): string {
  const [old, now] = [declaredBy(before), declaredBy(after)];
  const changes = [
    ...[...now.keys()].filter((name) => !old.has(name)).map((name) => `added ${name}`),
    ...[...old.keys()].filter((name) => !now.has(name)).map((name) => `removed ${name}`),
    ...[...now].flatMap(([name, module]) =>
      old.has(name) && !isDeepStrictEqual(old.get(name), module) ? [`changed ${name}`] : [],
    ),
  ];
  return changes.join(", ") || "valid, unchanged";
}

/** The modules by their type and key, and the installation events. */
function declaredBy({ guards, imports, webhooks, events }: Manifest): Map<string, unknown> {
  return new Map<string, unknown>([
    ...guards.map((guard) => [`guard ${guard.key} (${guard.type})`, guard] as const),
    ...imports.map((module) => [`post-import ${module.key}`, module] as const),
    ...webhooks.map((module) => [`webhook ${module.key}`, module] as const),
    ...Object.entries(events).flatMap(([name, address]) =>
      address === null ? [] : [[`event ${name}`, address] as const],
    ),
  ]);
}
