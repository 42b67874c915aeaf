import { type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import { redirectTarget } from "../../../journal/redirect-target.ts";
import { freeNames, withAddedMembers } from "../added-members.ts";
import { withFields } from "../form/form.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { returnOf } from "../walk/answer.ts";
import { addressFault, type ReturnCheck } from "./page-return.ts";

/** An organization that has nothing to do with the login. */
export const OTHER_DOMAIN = "app-sim-other";

/** An address where nobody listens. */
const NOBODY = "127.0.0.1:9";
const ELSEWHERE = `//${NOBODY}/app-sim/guard/callback`;
/** The role of a login whose page is opened by a link on another site. */
const LINKED = "linked elsewhere";
/** The role of a login whose form is on another site. */
const POSTED = "posted from elsewhere";
/** The role of a login whose form names another host in the headers with which proxies name theirs. */
const FORWARDED = "forwarded";
/** The role of a login whose form has such parameters in its own address. */
const FORM = "form";
/** The role of a login whose form has such fields in addition. */
const ADDED = "added";
/** The role of a login in whose form another address or organization is in place of the platform's. */
const FIELD = "field";
const leadingHeaders = [
  [FORWARDED, "X-Forwarded-Host", NOBODY],
  [POSTED, "Origin", `http://${NOBODY}`],
] as const;
/** Parameters that may say where a page leads. */
export const addressParameters: readonly string[] = [
  ...["callback", "callback_url", "callbackUrl", "return", "return_to", "returnTo", "return_url", "returnUrl"],
  ...["redirect", "redirect_to", "redirect_uri", "redirectUri", "redirect_url", "redirectUrl"],
  ...[
    "next",
    "url",
    "uri",
    "target",
    "dest",
    "continue",
    "auth_url",
    "authUrl",
    "base_url",
    "baseUrl",
    "host",
    "origin",
  ],
  ...["cancel", "cancel_url", "cancelUrl", "back", "back_url", "backUrl", "error_url", "errorUrl", "failure_url"],
  ...["failureUrl", "success_url", "successUrl"],
];

/** The check of what an attacker may add to a login or change in it to lead its user away. */
export function leadAwayCheck(platform: PagePlatform): ReturnCheck {
  const check: ReturnCheck = {
    id: "page.return.lead-away",
    area: "page",
    title: "No parameter of the page's or the form's URL, no header and no field changes where the user is sent",
    section: "4.2",
    severity: "must",
    why: "Anybody can write a link to the page. If the link decides where the code goes, the code goes to its author.",
    fix: "Build the URL only from the configured {auth_url} and the organization's domain: use no parameter, header or field.",
    run: async (tools) => {
      for (const [index, query] of leadingQueries().entries()) {
        await tools.submit(`returned-${index + 1}`, await tools.login("opened", { query }));
      }
      await tools.submit(LINKED, await tools.login(`opened ${LINKED}`, { referer: `http:${ELSEWHERE}` }));
      for (const [role, header, value] of leadingHeaders) {
        const login = await tools.login(`opened ${role}`);
        await tools.submit(role, login && { ...login, request: withHeader(login.request, header, value) });
      }
      const form = await tools.login(`opened ${FORM}`);
      await tools.submit(FORM, form && { ...form, request: withLeadingQuery(form.request) });
      const fuller = await tools.login(`opened ${ADDED}`);
      await tools.submit(ADDED, fuller && { ...fuller, request: withLeadingFields(fuller.request) });
      const own = await tools.login(`opened ${FIELD}`);
      const changed = own && withFields(own.request, ledAway(platform));
      if (own !== null && changed !== null) await tools.submit(FIELD, { ...own, request: changed });
    },
    judge: (evidence) => {
      const right = evidence.before && returnOf(evidence.landing(evidence.before));
      // If the user is sent to a wrong address without these parameters, too, they are not the cause.
      const isAstray = right !== null && addressFault(right, platform) !== null;
      const away = evidence.steps.find(({ role, exchange }) => {
        const landing = evidence.landing(exchange);
        const back = returnOf(landing);
        // Behind a proxy, an app's own address is that of the header, but never the platform's.
        if (role !== FORWARDED && redirectTarget(landing)?.url.host === NOBODY) return true;
        return back !== null && !isAstray && addressFault(back, platform) !== null;
      });
      if (away === undefined) return PASSED;
      if (away.role === FORWARDED) {
        return { result: "warn", reason: "the user was sent where the header X-Forwarded-Host said" };
      }
      return faulty(check, `the user was sent where ${leaderOf(away.role)}`);
    },
  };
  return check;
}

/** What sent a user away in this role, as the end of a sentence. */
function leaderOf(role: string): string {
  if (role.includes(LINKED)) return "the page's Referer was";
  if (role.includes(POSTED)) return "the form's Origin was";
  if (role === FIELD) return "a field of the form said";
  if (role === ADDED) return "a field added to the form said";
  return role === FORM ? "the form's address said" : "the page's address said";
}

/** Parameters of the page's address that name other addresses and organizations. */
export function leadingQueries(): Readonly<Record<string, string>>[] {
  return [`http:${ELSEWHERE}`, ELSEWHERE].map(leadingTo);
}

/** Each parameter that may say where a page leads, with this address or another organization. */
function leadingTo(address: string): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...addressParameters.map((name) => [name, address]),
    ...["domain", "organization", "org"].map((name) => [name, OTHER_DOMAIN]),
  ]);
}

/** The form with parameters in its address that it does not have itself. */
function withLeadingQuery(request: RequestParts): RequestParts {
  const added = new URLSearchParams(leadingFor(request));
  return { ...request, url: `${request.url}${request.url.includes("?") ? "&" : "?"}${added}` };
}

/** The form with fields that it does not have itself. */
function withLeadingFields(request: RequestParts): RequestParts {
  return withAddedMembers(request, Object.fromEntries(leadingFor(request)));
}

/** The parameters that lead elsewhere, without those whose names the form has. */
function leadingFor(request: RequestParts): [string, string][] {
  const leading = Object.entries(leadingTo(`http:${ELSEWHERE}`));
  const names = leading.map(([name]) => name);
  const free = freeNames(request, names);
  return leading.filter(([name]) => free.includes(name));
}

/** Replaces a value that is the organization, or an address of the platform, by one that leads elsewhere. */
export function ledAway({ url, domain }: PagePlatform): (value: string) => string {
  return (value) => (value === domain ? OTHER_DOMAIN : value.replaceAll(url, `http://${NOBODY}`));
}

/** Whether an address is one to which `ledAway` leads. */
export function isLedAway({ host, pathname }: URL): boolean {
  return host === NOBODY || pathname.split("/").includes(OTHER_DOMAIN);
}
