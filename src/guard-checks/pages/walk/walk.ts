import { buttonsOf, obstacleOf, type PageTrouble, type PageWork } from "../../../browser/fill-form.ts";
import { readHtml } from "../../../browser/read-html.ts";
import type { CallToRefuse, RefusedCall } from "../../../browser/refused-call.ts";
import type { SharedBrowser } from "../../../browser/shared-browser.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { ButtonNames } from "../../../guard/login/login-options.ts";
import type { CallbackQuery } from "../../../guard/rules/callback.ts";
import { nothingDone } from "../../../guard/visit/guard-work.ts";
import type { LoginAddresses, PageVisit } from "../../../guard/visit/page-visit.ts";
import { walkForms } from "../../../guard/visit/walk-forms.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";
import { redactText } from "../../../journal/redact.ts";
import { pageFacts } from "../../../platform/call-facts.ts";
import { clip, harmlessLine } from "../../../protocol/harmless.ts";
import { isSamePlace, joinUrl } from "../../../protocol/url.ts";
import { UsageError } from "../../../protocol/usage-error.ts";
import { guardCallbackPath } from "../../../web/login-paths.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { pageOf } from "./answer.ts";
import type { AskedAgain, RightAnswers } from "./answer-again.ts";
import { type FillByRole, fillOf } from "./fill-by-role.ts";
import { unseen } from "./unseen.ts";

/** How to walk the page of a guard. */
export interface PageWay {
  /** By its forms over HTTP, or in Chromium. */
  readonly by: "forms" | "browser";
  readonly answers: { readonly fill?: FillByRole; readonly press?: ButtonNames | undefined };
}

/** One walk: the page's URL with its token and state, and how to walk it. */
export interface PlannedWalk {
  readonly guard: InstalledGuard;
  readonly url: string;
  /** The state in the URL; for a frame, which gets none, any text. */
  readonly state: string;
  readonly way: PageWay;
  /** Who walks it. */
  readonly person: Pick<Person, "user">;
  /** The page's call that the app should refuse, in a browser; default none. */
  readonly toRefuse?: CallToRefuse | undefined;
  /** Whether it ends once everything is done, and a browser's page has had time to ask its app; default no. */
  readonly isBrief?: boolean | undefined;
  /** The browser that it shares with other walks; default one of its own. Only in Chromium. */
  readonly shared?: SharedBrowser | undefined;
  /** What it waits for when its page is open, before anything is done there; default nothing. Only in Chromium. */
  readonly whenOpened?: (() => Promise<unknown>) | undefined;
  /** What to do if the page asks again after a wrong answer; default nothing. Only in Chromium. */
  readonly thenRight?: RightAnswers | undefined;
}

/** Where a walk led. */
export interface PageWalk {
  /** The code or error with which the user came back; null: the user did not, for the reason in `trouble`. */
  readonly outcome: { readonly code: string } | { readonly error: string } | null;
  readonly trouble: Omit<PageTrouble, "failure"> | null;
  /** The URL with which the guard callback was called; null: it was not, or it is a frame. */
  readonly callback: URL | null;
  /** The requests of the walk to the app, in order; they are in the journal, too. */
  readonly exchanges: readonly Exchange[];
  /** Texts of the buttons that were seen. */
  readonly buttons: readonly string[];
  /** Texts of the buttons of the page where the walk ended without an outcome; empty without a browser. */
  readonly endButtons: readonly string[];
  /** The ids of the requests that were answered before anything was filled in or pressed; empty without a browser. */
  readonly loaded: readonly string[];
  /** What is left in the browser, by place; empty without a browser. */
  readonly left: Readonly<Record<string, string>>;
  /** Whether a later visit in any tab would find a cookie, or something in localStorage; false without a browser. */
  readonly keepsData: boolean;
  /** Parts of the page that its own policy blocked, such as `/confirm, by connect-src`; empty without a browser. */
  readonly blocked: readonly string[];
  /** What the page did after the app refused its call; null: there was no such call. */
  readonly refused: RefusedCall | null;
  /** What was wrong with what its page passed to AP.verifyAuth; null: nothing was. */
  readonly misuse: string | null;
  /** What the page did after a wrong answer. */
  readonly askedAgain: AskedAgain;
  /** Whether it ended at a page that has nothing but buttons, and waits for nothing. */
  readonly isDeadEnd: boolean;
  /** Whether every button that was named was there to be pressed. */
  readonly hasPressedAll: boolean;
  /** The errors in the browser's console, and those that no script caught; empty without a browser. */
  readonly errors: readonly string[];
}

/** A walk that the app may have turned away temporarily. */
export interface WalkedOnce extends PageWalk {
  /**
   * The milliseconds after which to walk again: the app asks Chromium for that, or its page did not open in time. Null: the
   * walk counts.
   */
  readonly pause: number | null;
}

/** For what reasons a walk may be repeated. */
export interface MayWalkAgain {
  /** The app temporarily turns it away. */
  readonly turnedAway: boolean;
  /** The page does not open in time: a busy machine may be the reason, which is unlikely twice. */
  readonly unopened: boolean;
}

/** Milliseconds that a walk may take; a program is faster than a person. */
const WALK_LIMIT_MS = 12_000;
const QUOTED_CHARACTERS = 200;
/** How often a walk is started again, at most. */
const MOST_AGAIN = 3;

/**
 * Walks the page of a guard instead of a person until it sends the user back with a code or an error. The platform does
 * not learn of it, so the code stays valid (interface 3.1, 4.2). The requests are recorded as those of the context's
 * check. If the app turns Chromium away temporarily, or its page does not open in time, the page is walked again.
 */
export async function walkPage(context: VerifyContext, walk: PlannedWalk): Promise<PageWalk> {
  for (let again = 0; ; again += 1) {
    const { pause, ...walked } = await walkOnce(context, walk, {
      turnedAway: again < MOST_AGAIN,
      unopened: again === 0,
    });
    if (pause === null) return walked;
    await context.clock.pause(pause, context.signal);
  }
}

async function walkOnce(context: VerifyContext, walk: PlannedWalk, may: MayWalkAgain): Promise<WalkedOnce> {
  const seen: Exchange[] = [];
  const found: { outcome: PageWalk["outcome"]; trouble: PageWalk["trouble"]; callback: URL | null } = {
    outcome: null,
    trouble: null,
    callback: null,
  };
  const visit = walkVisit(context, walk, {
    visited: (exchange) => seen.push(exchange),
    leave: ({ reason, hint }) => {
      found.trouble = { reason, hint };
    },
  });
  if (walk.way.by === "forms") {
    await walkForms(
      context,
      {
        callback: (domain, query) => {
          const { platform } = visit.login;
          found.callback = new URL(`${platform}${guardCallbackPath(domain)}?${new URLSearchParams(pairsOf(query))}`);
          const [code] = query.code;
          const [error] = query.error;
          found.outcome = code ? { code } : error ? { error } : null;
          return { ok: true };
        },
      },
      visit,
    );
    const hasPressedAll = areAllPressed(visit.work);
    const isDeadEnd = found.trouble !== null && hasPressedAll && endsInDeadEnd(seen);
    return { ...found, ...unseen, exchanges: seen, buttons: await buttonsIn(seen), isDeadEnd, hasPressedAll };
  }
  try {
    context.chromium.requirePlaywright();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const trouble = { reason: error.message, hint: error.hint };
    return { ...found, ...unseen, trouble, exchanges: [], buttons: [], isDeadEnd: false, hasPressedAll: false };
  }
  // Loaded here, because few apps have a page that needs it.
  const { walkInChromium } = await import("./browser.ts");
  const { trouble, ...walked } = await walkInChromium(context, walk, visit, may);
  const hasPressedAll = areAllPressed(visit.work);
  const isDeadEnd = walked.isDeadEnd && hasPressedAll;
  return { ...walked, trouble: trouble ?? found.trouble, exchanges: seen, isDeadEnd, hasPressedAll };
}

/** A visit that belongs to no login. */
function walkVisit(
  context: VerifyContext,
  { guard: { installed, module }, url, state, way, person }: PlannedWalk,
  { visited, leave }: { visited(exchange: Exchange): void; leave: PageVisit["leave"] },
): PageVisit {
  const { clock, config, baseUrl, journal } = context;
  const deadline = clock.monotonic() + WALK_LIMIT_MS;
  const { fill = {}, press = [] } = way.answers;
  const work: PageWork = {
    fill: fillOf(fill, person.user),
    press: [press].flat(),
    ...nothingDone(),
    isGuessing: true,
  };
  const app = [installed.app.url, joinUrl(installed.app.url, module.optionsUrl ?? "")];
  const timeLeft = () => Math.max(0, deadline - clock.monotonic());
  return {
    interaction: {
      state,
      guard: { key: module.key, type: module.type },
      signal: context.signal ?? new AbortController().signal,
      timeLeft,
      pageUrl: async () => url,
      report: () => {},
      visited: (id) => {
        const record = journal.find(id);
        if (record?.type === "exchange") visited(record);
      },
      warn: () => {},
    },
    work,
    get login(): LoginAddresses {
      return { platform: baseUrl(), domain: config.organization.domain, state, app };
    },
    guards: [{ key: module.key, hasPage: true }],
    facts: pageFacts(context, installed.app, module.key),
    isLast: () => true,
    timeLeft,
    leave,
    quote: (text) => clip(harmlessLine(redactText(text, [state]).replaceAll(/\s+/g, " ").trim()), QUOTED_CHARACTERS),
  };
}

function pairsOf(query: CallbackQuery): [string, string][] {
  return Object.entries(query).flatMap(([name, values]) =>
    values.map((value: string): [string, string] => [name, value]),
  );
}

async function buttonsIn(exchanges: readonly Exchange[]): Promise<string[]> {
  const pages = await Promise.all(
    exchanges.map(async ({ request, response }) => {
      if (response === null || response.status >= 300) return [];
      const answer = { ...response, body: unpackedBytes(response) };
      const page = readHtml(answer, request.url);
      if (page === null) return [];
      const buttons = page.forms.flatMap((form) => buttonsOf(form).filter(({ kind }) => kind === "submit"));
      const isPlain = buttons.length === 0 && !page.hasScripts;
      const links = isPlain ? page.links.filter(({ href }) => isSamePlace(new URL(href), new URL(request.url))) : [];
      return [
        ...buttons.map(({ text, value, id, name }) => text || value || id || name),
        ...links.map(({ text }) => text),
      ];
    }),
  );
  return [...new Set(pages.flat())].filter((name) => name !== "");
}

function areAllPressed({ press, pressed }: PageWork): boolean {
  return press.every((name) => pressed.has(name));
}

/** Whether a walk over HTTP ended at a page that no script or refresh leaves, with nothing to do but press buttons. */
function endsInDeadEnd(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.at(-1);
  const page = last === undefined ? null : pageOf(last);
  if (page === null || (last?.response?.status ?? 0) >= 300) return false;
  const controls = page.forms.flatMap((form) => form.controls);
  return !page.hasScripts && page.refresh === null && controls.every((control) => obstacleOf(control) !== null);
}
