import type { CheckFacts, Verdict } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import { BROWSED } from "../../../checking/evidence.ts";
import { encodeRequest } from "../../../checking/request-parts.ts";
import { taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks } from "../../../checking/verify-subject.ts";
import { platformParameters } from "../../../guard/visit/lost-parameters.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "../../call.ts";
import { everythingIn, pageOf } from "../walk/answer.ts";
import { CANARY } from "../walk/blocked-parts.ts";
import { type LoginChanges, openRequest } from "../walk/login.ts";
import { contextClaimOf } from "../walk/tools.ts";
import { type PageWalk, type PageWay, walkPage } from "../walk/walk.ts";
import { escaped, injected, shownParameters } from "./text-checks.ts";

/** The check that a page's own scripts escape what comes from outside (hardening P2). */
export const scriptTextsCheck: CheckFacts = {
  id: "page.text.scripts-escape",
  area: "page",
  title: "The scripts of the page treat markup and scripts from its URL as text",
  section: "4.2",
  severity: "must",
  choices: ["guard.jwt.claims"],
  why: injected,
  fix: `Set texts with textContent, not with innerHTML, and write none into a script. ${escaped}`,
};

/** Only looks at the page, and presses the button if there is just one. */
const LOOKING: PageWay = { by: "browser", answers: {} };

const imageName = (name: string) => `${CANARY}-${name}`;
const codeImageName = (name: string) => `${CANARY}-code-${name}`;
const imageOf = (name: string) => `<img src="/${imageName(name)}">`;
// Escaping for HTML does not change the code, which runs in a template literal.
const markupOf = (name: string) => `"'>${imageOf(name)}\${new Image().src=/${codeImageName(name)}/.source}`;
const USER_NAME = "user_login";
const FRAGMENT = "fragment";
const usualNames: readonly string[] = ["state", ...shownParameters, USER_NAME];

/** How scripts read a parameter of the page's URL. */
const READS_PARAMETER = /\.get(?:All)?\(\s*["'`]([\w-]{1,40})["'`]\s*\)/g;
const READS_FRAGMENT = /\blocation\.hash\b/;
/** The most parameters that are tried in addition. */
const MOST_READ = 12;
/** How many of them are tried alone if the page is not shown with all of them. */
const MOST_ALONE = 4;

/**
 * Opens a page in a browser, with markup in everything that it may show. The markup is an image for each parameter: if
 * the browser asks for one, a script has taken the text as markup, or as code.
 * @param opened the page as it usually is
 */
export async function judgeScriptTexts(
  { choices, context, run, wants }: Verification,
  guard: InstalledGuard,
  person: Person,
  opened: Exchange,
): Promise<CheckResult[]> {
  if (!wants(scriptTextsCheck)) return [];
  const { key, type } = guard.module;
  const about = { title: `page of ${key}`, module: key };
  if (pageOf(opened)?.hasScripts !== true) return skippedChecks(about, [scriptTextsCheck], "the page has no scripts");
  const browsed = taggedContext(context, { run, subject: `page.text:${key}`, id: null, role: BROWSED });
  const page = { context: browsed, choices, guard, person };
  const walk = async (changes: LoginChanges, fragment = "") => {
    await makeFirstCall(browsed, page, person);
    const { state, ...right } = await openRequest(browsed, page, person, changes);
    const url = encodeRequest(right).url + fragment;
    return walkPage(browsed, { guard, url, state, way: LOOKING, person, isBrief: true });
  };
  const query = Object.fromEntries(shownParameters.map((name) => [name, markupOf(name)]));
  const markup = markupOf(USER_NAME);
  const byPart: readonly LoginChanges[] = [
    type === "redirect"
      ? { state: `${context.ids.secret()}${markupOf("state")}`, query }
      : { query: { ...query, state: markupOf("state") } },
    { claims: { name: markup, context: { ...contextClaimOf(page), user_login: markup } } },
  ];
  const walks = [await walk(Object.assign({}, ...byPart))];
  // An app may refuse one of the two.
  if (!walks.some(isShown)) for (const changes of byPart) walks.push(await walk(changes));
  const scripts = walks.flatMap((each) => each.exchanges.map(everythingIn));
  const read = parametersRead(scripts);
  const withAll = (some: readonly string[]) =>
    walk({ query: Object.fromEntries(some.map((name) => [name, markupOf(name)])) });
  if (read.length > 0) {
    const together = await withAll(read);
    walks.push(together);
    // One of them may lead elsewhere, and hide the others.
    if (!isShown(together)) for (const name of read.slice(0, MOST_ALONE)) walks.push(await withAll([name]));
  }
  if (READS_FRAGMENT.test(scripts.join("\n"))) walks.push(await walk({}, `#${encodeURIComponent(markupOf(FRAGMENT))}`));
  const exchanges = walks.flatMap((each) => each.exchanges.filter((one, index) => index === 0 || isForImage(one)));
  return [checkResult(about, scriptTextsCheck, verdictOn(walks, [...usualNames, ...read, FRAGMENT]), exchanges)];
}

/** The parameters that scripts read, other than the platform's and those that are always tried. */
function parametersRead(scripts: readonly string[]): string[] {
  const read = scripts
    .filter((script) => /searchparams/i.test(script))
    .flatMap((script) => [...script.matchAll(READS_PARAMETER)].map(([, name = ""]) => name));
  const isNew = (name: string) => !platformParameters.includes(name) && !usualNames.includes(name);
  return [...new Set(read)].filter(isNew).slice(0, MOST_READ);
}

function verdictOn(walks: readonly PageWalk[], names: readonly string[]): Verdict {
  const shown = walks.filter(isShown);
  const taken = names.find((name) => shown.some((walk) => isTakenByScripts(walk, name)));
  if (taken !== undefined) return faulty(scriptTextsCheck, `they make an image of markup in ${placeOf(taken)}`);
  const run = names.find((name) => shown.some((walk) => isAskedFor(walk, codeImageName(name))));
  if (run !== undefined) return faulty(scriptTextsCheck, `they run code in ${placeOf(run)}`);
  if (shown.length > 0) return PASSED;
  const [trouble] = walks.flatMap((walk) => walk.trouble?.reason ?? []);
  return skipVerdict(`no browser showed the page with markup: ${trouble ?? "it went on by itself"}`);
}

/** Whether a walk's page asked for the image, which was not in the page as the app sent it. */
function isTakenByScripts(walk: PageWalk, name: string): boolean {
  const page = walk.exchanges.find(({ response }) => response !== null && response.status < 300);
  const isInPage = page !== undefined && everythingIn(page).includes(imageOf(name));
  return !isInPage && isAskedFor(walk, imageName(name));
}

function isAskedFor({ exchanges, blocked }: PageWalk, image: string): boolean {
  const isRequested = exchanges.some(({ request }) => new URL(request.url).pathname.endsWith(`/${image}`));
  return isRequested || blocked.some((part) => part.includes(`/${image},`));
}

function isForImage({ request }: Exchange): boolean {
  return new URL(request.url).pathname.includes(`/${CANARY}-`);
}

function isShown({ exchanges: [opened] }: PageWalk): boolean {
  return opened?.response != null && opened.response.status < 400;
}

function placeOf(name: string): string {
  if (name === FRAGMENT) return "the fragment of the page's URL";
  return name === USER_NAME ? "the claim context.user_login or name" : `the parameter ${name}`;
}
