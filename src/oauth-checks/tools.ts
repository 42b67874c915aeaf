import type { CookieChange, LeadingPage } from "../browser/http-browser.ts";
import { NotPrepared } from "../checking/subject.ts";
import type { App, User } from "../config/schema.ts";
import type { OAuthLoginContext } from "../oauth-login/action.ts";
import { authorizeLogin, beginOAuthLogin, type Login, LoginRecords, visit } from "../oauth-login/begin-login.ts";
import type { AppVisit, Authorization } from "../oauth-login/checks/login-facts.ts";
import { createLoginBrowser, type LoginBrowser } from "../oauth-login/login-browser.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { journeyTag, type OAuthVisit, readVisits } from "./visits.ts";

/** Where the app logs its users in. */
export interface OAuthSubject {
  readonly app: App;
  /** Full URL of the login link. */
  readonly start: string;
  /** Full URL of a page that uses the access token; null: none is known. */
  readonly use: string | null;
  readonly user: User;
  /** Somebody else; null: the configuration has nobody else. */
  readonly other: User | null;
}

/** How a login is started. */
export interface Beginning {
  /** Default the subject's user. */
  readonly user?: User | null;
  readonly decision?: "approve" | "deny";
  /** Added to the address of the login link. */
  readonly query?: Readonly<Record<string, string>>;
  /** The page with the login link, sent as Referer; default none. */
  readonly from?: LeadingPage;
  /** Name of the visit; default `start`. */
  readonly what?: string;
}

/** How many answers are changed, in case a client retries. */
const TIMES = 5;

interface NamedBrowser {
  readonly browser: LoginBrowser;
  /** What the browser does now. */
  what: string;
}

/** The actions of an OAuth check's journey, with several named browsers. */
export class OAuthTools {
  readonly subject: OAuthSubject;
  readonly context: OAuthLoginContext;
  readonly #run: number;
  readonly #journey: string;
  readonly #records: LoginRecords;
  readonly #browsers = new Map<string, NamedBrowser>();
  #lastRequest: string | null = null;

  constructor(subject: OAuthSubject, context: OAuthLoginContext, run: number, journey: string) {
    this.subject = subject;
    this.context = context;
    this.#run = run;
    this.#journey = journey;
    this.#records = new LoginRecords(context, subject.app);
  }

  close(): void {
    this.#records.stop();
    this.context.oauth.forget();
  }

  /**
   * Opens the login link, and decides for the user at the platform.
   * @returns the address to which the platform sends the browser back
   * @throws NotPrepared if the app does not send the browser to the platform, or the platform does not send it back
   */
  async begin(browser: string, beginning: Beginning = {}): Promise<string> {
    const { start } = this.subject;
    const url = new URL(start);
    for (const [name, value] of Object.entries(beginning.query ?? {})) url.searchParams.append(name, value);
    const login = await this.#login(browser, beginning);
    const { authorization } = await beginOAuthLogin(login, url.href, beginning.from);
    this.#lastRequest = authorization?.url ?? null;
    return returnAddress(authorization);
  }

  /** The address of the last authorization request. */
  lastAuthorization(): string | null {
    return this.#lastRequest;
  }

  /** Makes the authorization request of a login again, with the same state and challenge, and approves it. */
  async authorizeAgain(browser: string, url: string, user?: User | null): Promise<string> {
    const login = await this.#login(browser, { ...(user === undefined ? {} : { user }) });
    return returnAddress(await authorizeLogin(login, url, this.subject.start));
  }

  /**
   * Opens an address of the app; a visit of this name.
   * @param from the page that leads there; default the platform, which sends no Referer
   */
  async open(browser: string, what: string, url: string, from?: LeadingPage): Promise<AppVisit> {
    return inTime(await visit(await this.#login(browser, { what }), url, from ?? this.context.baseUrl()));
  }

  /** Opens the page that uses the access token, if one is known. */
  async use(browser: string, what = "use"): Promise<AppVisit | null> {
    const { use } = this.subject;
    if (use === null) return null;
    return inTime(await visit(await this.#login(browser, { what }), use, use));
  }

  /** Logs a user in, from the login link to the page that uses the token. */
  async login(browser: string, beginning: Beginning = {}): Promise<void> {
    await this.open(browser, "callback", await this.begin(browser, beginning));
    await this.use(browser);
  }

  /** What a browser did in this journey so far. */
  visitsOf(browser: string): OAuthVisit[] {
    const { app } = this.subject;
    const { config, journal } = this.context;
    const reader = { app, config, platform: this.context.baseUrl(), run: this.#run };
    return readVisits(journal.list(), reader).filter(
      (each) => each.journey === this.#journey && each.browser === browser,
    );
  }

  /** Names of the cookies that a browser stores. */
  cookieNames(browser: string): readonly string[] {
    return this.#browsers.get(browser)?.browser.cookieNames() ?? [];
  }

  /** Makes another browser with the same or changed cookies. */
  async fork(from: string, to: string, change?: CookieChange): Promise<void> {
    const named: { browser?: LoginBrowser; what: string } = { what: "" };
    const { browser } = await this.#browser(from);
    named.browser = await browser.fork(this.#tagged(to, named), change);
    this.#browsers.set(to, named as NamedBrowser);
  }

  /** Changes the next answers of the token endpoint, or of the API. */
  change(place: "token" | "api", change: (answer: WireAnswer) => WireAnswer, times = TIMES): void {
    for (let time = 0; time < times; time += 1) this.context.oauth.once(place, change);
  }

  /** Drops the changes that no request has used. */
  unchanged(): void {
    this.context.oauth.forget();
  }

  /** Gives the platform a fault meanwhile; those requested elsewhere stay. */
  async withFault(fault: string, act: () => Promise<void>): Promise<void> {
    const { faults } = this.context.oauth;
    faults.add(fault);
    try {
      await act();
    } finally {
      const others = faults.list().filter((each) => each.fault !== fault);
      faults.clear();
      faults.add(...others.map((each) => each.fault));
    }
  }

  /** Revokes an access token, or with a refresh token all tokens of one login (RFC 7009). */
  async revoke(token: string): Promise<void> {
    const { clientId, clientSecret } = this.subject.app;
    const form = new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret });
    await this.context.oauth.revoke({
      method: "POST",
      url: "/oauth/revoke",
      headers: [["Content-Type", "application/x-www-form-urlencoded"]],
      body: Buffer.from(form.toString()),
    });
  }

  async #login(name: string, { user, decision = "approve", what = "start" }: Beginning): Promise<Login> {
    const { app, use } = this.subject;
    const named = await this.#browser(name);
    named.what = what;
    const { context } = this;
    return {
      context,
      oauth: context.oauth,
      app,
      user: user ?? this.subject.user,
      decision,
      use,
      records: this.#records,
      browser: named.browser,
    };
  }

  async #browser(name: string): Promise<NamedBrowser> {
    const known = this.#browsers.get(name);
    if (known !== undefined) return known;
    const named: { browser?: LoginBrowser; what: string } = { what: "" };
    named.browser = await createLoginBrowser(this.#tagged(name, named), this.subject.app);
    this.#browsers.set(name, named as NamedBrowser);
    return named as NamedBrowser;
  }

  /** The context with a journal that tags every exchange with the browser's visit. */
  #tagged(browser: string, named: { readonly what: string }): OAuthLoginContext {
    const { journal } = this.context;
    const append: typeof journal.append = (record) => {
      const check = journeyTag(this.#run, this.#journey, browser, named.what);
      journal.append(record.type === "exchange" ? { ...record, check } : record);
    };
    return { ...this.context, journal: { ...journal, append } };
  }
}

/** If the app does not answer at all, further waiting is useless. */
function inTime(visited: AppVisit): AppVisit {
  const { landing } = visited;
  if (landing.kind === "trouble" && landing.failure !== "other") throw new NotPrepared(landing.reason);
  return visited;
}

function returnAddress(authorization: Authorization | null): string {
  const verdict = authorization?.verdict;
  if (verdict === undefined) throw new NotPrepared("the app did not send the browser to the platform");
  if (verdict.kind === "refused") throw new NotPrepared("the platform refused the authorization request");
  return verdict.location;
}
