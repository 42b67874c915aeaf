import type { Answer } from "../app-client/read-answer.ts";

/** A cookie that an app set: which one, and where it is sent. */
export interface SetCookie {
  readonly name: string;
  readonly host: string;
  readonly isStrict: boolean;
}

/** The cookies of one browser. */
export interface Cookies {
  /** The value of the Cookie header for a request; may be empty. */
  headerFor(url: string): Promise<string>;
  /** Keeps what an answer sets. */
  keep(answer: Answer, url: string): Promise<void>;
  /** What was set so far, oldest first. */
  list(): readonly SetCookie[];
}

/** Creates an empty cookie jar. */
export async function createCookies(): Promise<Cookies> {
  // Loaded here because most runs open no page.
  const { CookieJar } = await import("tough-cookie");
  const jar = new CookieJar(undefined, { looseMode: true, allowSpecialUseDomain: true });
  const set: SetCookie[] = [];
  return {
    headerFor: (url) => jar.getCookieString(url),
    keep: async ({ headers }, url) => {
      for (const [name, value] of headers) {
        if (name.toLowerCase() !== "set-cookie") continue;
        const cookie = await jar.setCookie(value, url, { ignoreError: true });
        if (cookie === undefined) continue;
        const host = cookie.domain ?? new URL(url).hostname;
        set.push({ name: cookie.key, host, isStrict: cookie.sameSite === "strict" });
      }
    },
    list: () => [...set],
  };
}
