import { allowsAddress, type ContentPolicy, forbidsForms, sourcesFor } from "../../../browser/content-policy.ts";
import { attributeValues } from "../../../browser/read-html.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";
import { parseUrl } from "../../../protocol/url.ts";
import { addressParameters } from "../return/lead-away-check.ts";
import { pageOf } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";

/** A site that has nothing to do with the app or the platform. */
const ELSEWHERE = "http://app-sim.example/host.js";
/** Usual names of parameters for the address of a script, or of the server that a page uses. */
const sourceParameters: readonly string[] = `
  sdk sdk_url sdkUrl script script_url scriptUrl src js host_js cdn assets static
  platform platform_url platformUrl action base server backend api api_url apiUrl`
  .trim()
  .split(/\s+/);

/** The check of what a page loads, and where its forms go. */
export const sourceCheck: TrialCheck<OpenPageTools> = {
  id: "page.text.sources",
  area: "page",
  title: "No parameter of the page's URL says where its scripts come from, or its forms go",
  section: "4.2",
  severity: "must",
  why: "Anybody can write a link to the page. A script that the link names can read the user's token, and a form sends what the user types to the link's author.",
  fix: "Take addresses from the app's configuration, or compare the parameter with a list of them.",
  run: async (tools) => {
    const names = [...addressParameters, ...sourceParameters];
    await tools.send("opened", await tools.open({ query: Object.fromEntries(names.map((name) => [name, ELSEWHERE])) }));
  },
  judge: ({ steps, landing }) => {
    const found = steps.map(({ exchange }) => ledAway(landing(exchange))).find((what) => what !== null);
    return found === undefined ? PASSED : faulty(sourceCheck, `${found} the site that a parameter names`);
  },
};

/** What in a page leads to the site that a parameter names, unless the page's policy forbids it; null: nothing. */
function ledAway(exchange: Exchange): string | null {
  const page = pageOf(exchange);
  if (page === null || exchange.response === null) return null;
  const self = new URL(exchange.request.url);
  const answer = { headers: exchange.response.headers, body: unpackedBytes(exchange.response) };
  const target = (selector: string, name: string) =>
    attributeValues(answer, selector, name)
      .flatMap((address) => parseUrl(address, self.href) ?? [])
      .find(({ host }) => host === new URL(ELSEWHERE).host);
  const isAllowed = (forbids: (policy: ContentPolicy) => boolean) => !page.policies.some(forbids);
  const script = target("script[src]", "src");
  const isTrusted = target("script[src][nonce]", "src") !== undefined;
  if (script !== undefined && (isTrusted || isAllowed((policy) => forbidsScript(policy, script, self))))
    return "it loads a script from";
  const base = target("base[href]", "href");
  if (base !== undefined && isAllowed((policy) => forbids(sourcesFor(policy, "base-uri"), base, self)))
    return "its relative URLs lead to";
  const form = target("form[action]", "action");
  if (form !== undefined && isAllowed((policy) => forbidsForms(policy, form, self, "form"))) return "its form goes to";
  return null;
}

function forbidsScript(policy: ContentPolicy, script: URL, self: URL): boolean {
  return forbids(sourcesFor(policy, "script-src-elem", "script-src", "default-src"), script, self);
}

function forbids(sources: readonly string[] | null, address: URL, self: URL): boolean {
  return sources !== null && !allowsAddress(sources, address, self);
}
