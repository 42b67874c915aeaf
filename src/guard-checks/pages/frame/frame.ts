import { shownList } from "../../../browser/fill-form.ts";
import type { RefusedCall } from "../../../browser/refused-call.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { taggedContext } from "../../../checking/subject.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { bodyText, recordBody } from "../../../journal/journal.ts";
import type { Person } from "../../call.ts";
import { saysNo } from "../form/buttons.ts";
import { fillOf } from "../walk/fill-by-role.ts";
import { leftBy } from "../walk/left-behind.ts";
import type { WalkedPage } from "../walk/login.ts";
import { recordedWalk, type UnusualWalk, type WalkWithToken, walkWithToken } from "../walk/replay.ts";
import type { PageWay } from "../walk/walk.ts";
import { isCodeLoaded, isLetInBy, spareCodes, walkedCode } from "../walk/walked-code.ts";
import { passwordsTyped, type SeenPassword, seenPassword } from "./typed-password.ts";

/** What is filled in and pressed in a walk. */
interface Answers {
  readonly fill?: PageWay["answers"]["fill"] | undefined;
  readonly press?: PageWay["answers"]["press"];
}

/** The walks of a frame guard's page in Chromium. */
export interface FrameWalks {
  /** The walk that reported a code, and how the page was answered; null: none did. */
  readonly pass: (WalkWithToken & { readonly way: PageWay }) | null;
  /** Why none did. */
  readonly reason: string;
}

/** The role of the exchange that represents a page's report by AP.verifyAuth. */
const REPORT = "report";
/** Maximum number of buttons that are tried. */
const MOST_BUTTONS = 6;
/** Maximum number of errors of a page that are kept; the first one explains the others. */
const MOST_ERRORS = 3;
const NOWHERE = "/app-sim-verify-frame";

/** How one walk of a frame ended: the body of the exchange that represents its report. */
export interface FrameReport {
  /** The button that was pressed; null: the only one, or as the configuration says. */
  readonly pressed: string | null;
  /**
   * `pass`, `fail`: the page was answered as configured for this. `refused`: as for `pass`, but the app refused the
   * page's call. `wrong password`: as for `pass`, but with another password. Null: nothing is configured.
   */
  readonly walkedAs: "pass" | "fail" | "refused" | "wrong password" | null;
  readonly code?: string;
  readonly error?: string;
  /** Whether the app had already answered with a valid code before anything was filled in or pressed; missing: no. */
  readonly isEarly?: boolean;
  /** What it left behind in the browser, such as `its token in localStorage`; none: nothing. */
  readonly left?: readonly string[];
  /** Parts of the page that its own policy blocked; none: nothing. */
  readonly blocked?: readonly string[];
  /** What the page did after its call was refused; null: it did not make the call, or made another one. */
  readonly refused?: RefusedCall | null;
  /** What was wrong with what it passed to AP.verifyAuth; null: nothing was. */
  readonly misuse?: string | null;
  /** Whether all its buttons were pressed, one in each walk, and this one led to nothing, with nothing else to do. */
  readonly isDeadEnd?: boolean;
  /** The errors in the browser's console. */
  readonly errors?: readonly string[];
  /** Whether the page sent its app anything after it was loaded; missing: no. */
  readonly asksApp?: boolean;
  /** Whether its code, but not just any, let the user in after a wrong password; missing: no. */
  readonly isLetIn?: boolean;
  /** Where the configured password was; missing: there is none. */
  readonly password?: SeenPassword;
  /** Why the page was not even requested, such as a fault of the browser; missing: it was. */
  readonly unopened?: string;
}

/** The report that an exchange represents; null: none. */
export function frameReportIn({ check, request }: Exchange): FrameReport | null {
  return check?.role === REPORT ? (JSON.parse(bodyText(request.body)) as FrameReport) : null;
}

const configuredFor = (outcome: string) => `, answered as verify.guards configures for ${outcome}`;

/** How a page was walked, in words. */
const howText: Readonly<Record<NonNullable<FrameReport["walkedAs"]> | "unchanged", string>> = {
  pass: configuredFor("pass"),
  fail: configuredFor("fail"),
  refused: ", with its request to the app refused",
  "wrong password": ", with a wrong password",
  unchanged: "",
};

/** A report in words: what was done in the page, and what it passed to AP.verifyAuth. */
export function frameReportText({ pressed, walkedAs, code, error, misuse }: FrameReport): string {
  const how = pressed === null ? howText[walkedAs ?? "unchanged"] : `, with ${JSON.stringify(pressed)} pressed`;
  const call = code !== undefined ? { code } : error !== undefined ? { error } : null;
  const reported = call === null ? (misuse ?? "no call of AP.verifyAuth") : `AP.verifyAuth(${JSON.stringify(call)})`;
  return `the page in the frame${how}: ${reported}`;
}

/** A walk that ended in a report, with its requests to the app. */
export interface ReportedWalk {
  readonly report: FrameReport;
  readonly exchanges: readonly Exchange[];
}

/** The walks of a frame, with their requests, in order. */
export function walksIn(exchanges: readonly Exchange[]): ReportedWalk[] {
  const walks: ReportedWalk[] = [];
  let since: Exchange[] = [];
  for (const exchange of exchanges) {
    const report = frameReportIn(exchange);
    if (report !== null) {
      walks.push({ report, exchanges: since });
      since = [];
    } else since.push(exchange);
  }
  return walks;
}

/**
 * Walks the page of a frame guard in Chromium, both to pass and to fail it, and records in the journal what the page
 * reports by AP.verifyAuth: the page is judged by these reports.
 */
export async function walkFrame(page: WalkedPage, person: Person): Promise<FrameWalks> {
  const { context, guard } = page;
  const configured = context.config.verify.guards[guard.module.key];
  const walks: (WalkWithToken & { readonly way: PageWay })[] = [];
  const attempt = async (answered: Answers, how: FrameReport["walkedAs"], unusual?: UnusualWalk) => {
    const { fill = {}, press } = answered;
    const answers = { fill, ...(press === undefined ? {} : { press }) };
    const way = { by: "browser", answers } as const;
    const walk = await walkWithToken(page, person, way, unusual);
    const code = walkedCode(walk);
    // Some apps lock out users who send many wrong codes.
    const spares = walks.some((each) => walkedCode(each) !== null) ? [] : spareCodes(walk);
    walks.push({ ...walk, way });
    const pressed = how === null && typeof press === "string" ? press : null;
    writeReport(context, guard.module.key, {
      pressed,
      walkedAs: how,
      ...walk.outcome,
      isEarly: isCodeLoaded(walk) || (await isLetInBy(spares, page, person)),
      left: leftBy(walk),
      blocked: walk.blocked,
      refused: walk.refused,
      misuse: walk.misuse,
      isDeadEnd: walk.isDeadEnd && walk.buttons.length <= MOST_BUTTONS,
      errors: walk.errors.slice(0, MOST_ERRORS),
      isLetIn: how === "wrong password" && code !== null && (await isLetInBy([code], page, person)),
      asksApp: walk.exchanges.some((exchange) => isAsking(exchange, walk.loaded)),
      ...seenPassword(walk, fillOf(fill, person.user)),
      ...(walk.exchanges.length === 0 && walk.trouble !== null ? { unopened: walk.trouble.reason } : {}),
    });
    return walk;
  };
  const first = await attempt(configured?.pass ?? {}, configured?.pass === undefined ? null : "pass");
  const buttons = configured?.pass === undefined ? first.buttons.slice(0, MOST_BUTTONS) : [];
  // Buttons that say no come last, so that a page that accepts only one answer is passed.
  const ordered = [...buttons.filter((text) => !saysNo(text)), ...buttons.filter(saysNo)];
  for (const press of ordered) {
    const isPassed = walks.some(({ outcome }) => outcome !== null && "code" in outcome);
    if (!isPassed || saysNo(press)) await attempt({ press }, null);
  }
  if (configured?.fail !== undefined) await attempt(configured.fail, "fail");
  const pass = walks.find(({ outcome }) => outcome !== null && "code" in outcome) ?? null;
  const call = pass === null ? undefined : recordedWalk(pass)?.last.request;
  if (pass !== null && call !== undefined) {
    await attempt(pass.way.answers, "refused", { toRefuse: { method: call.method, path: new URL(call.url).pathname } });
  }
  const [typed] = pass === null ? [] : passwordsTyped(pass.exchanges, fillOf(pass.way.answers.fill ?? {}, person.user));
  if (pass !== null && typed !== undefined) {
    const [name, value] = typed;
    const fill = { ...pass.way.answers.fill, [name]: otherThan(value) };
    await attempt({ ...pass.way.answers, fill }, "wrong password", { isBrief: true });
  }
  const tried = ordered.length === 0 ? null : `no button of the page made it report a code: ${shownList(ordered)}`;
  return { pass, reason: tried ?? first.trouble?.reason ?? "the page reported no code" };
}

/** Whether a request of the page after it was loaded may tell the app something. */
function isAsking({ id, request }: Exchange, loaded: readonly string[]): boolean {
  return !loaded.includes(id) && (request.method === "POST" || new URL(request.url).search !== "");
}

function writeReport({ journal, ids, clock, baseUrl }: VerifyContext, module: string, report: FrameReport): void {
  const nothing = recordBody(Buffer.alloc(0));
  const body = recordBody(Buffer.from(JSON.stringify(report)));
  journal.append({
    type: "exchange",
    id: ids.next(),
    purpose: "guard-page",
    module,
    startedAt: new Date(clock.now()).toISOString(),
    timings: { headersMs: 0, totalMs: 0 },
    request: { method: "POST", url: `${baseUrl()}${NOWHERE}`, headers: [], body },
    response: { status: 204, headers: [], body: nothing },
    outcome: { kind: "answered" },
  });
}

/** The context in which a subject's walks and reports are recorded. */
export function reporting(context: VerifyContext, run: number, subject: string): VerifyContext {
  const tagged = taggedContext(context, { run, subject, id: null, role: "search" });
  const reports = taggedContext(context, { run, subject, id: null, role: REPORT });
  const isReport = (url: string) => url === `${context.baseUrl()}${NOWHERE}`;
  const append: VerifyContext["journal"]["append"] = (record) =>
    (record.type === "exchange" && isReport(record.request.url) ? reports : tagged).journal.append(record);
  return { ...tagged, journal: { ...tagged.journal, append } };
}
