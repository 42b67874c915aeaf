import { describe, expect, it } from "vitest";
import { hasSession, isLoggedIn } from "../../src/oauth-checks/evidence.ts";
import type { OAuthVisit } from "../../src/oauth-checks/visits.ts";

type Called = readonly [place: "api" | "refresh", status: number];

const request = ([place, status]: Called) => ({
  record: { step: place },
  exchange: {
    response: {
      status,
      headers: [],
      body: { base64: Buffer.from('{"access_token":"a"}').toString("base64"), size: 20 },
    },
  },
});

function visit(browser: string, path: string, ...called: readonly Called[]): OAuthVisit {
  const landing = { kind: "page", url: `http://127.0.0.1:3000${path}`, status: 200, text: "", body: "", links: [] };
  return { journey: "login", browser, what: "use", landing, requests: called.map(request) } as unknown as OAuthVisit;
}

const own = visit("A", "/projects", ["api", 200]);

describe("whether a visit shows a session", () => {
  const ofApp = (elsewhere: string) => ({ all: [own, visit("S", elsewhere)] });

  it.each<[string, boolean | null, OAuthVisit]>([
    ["the API answers", true, visit("A", "/", ["api", 200])],
    ["the API refuses the first call only", true, visit("A", "/", ["api", 401], ["api", 200])],
    ["the API has a fault", true, visit("A", "/", ["api", 500])],
    ["the API refuses, and the app gets a new token", true, visit("A", "/", ["api", 401], ["refresh", 200])],
    ["the API refuses, and the token endpoint, too", false, visit("A", "/", ["api", 401], ["refresh", 400])],
    ["the API refuses, and the page is that of strangers", false, visit("A", "/", ["api", 401])],
    ["the API refuses, and the page is that of users", true, visit("A", "/projects", ["api", 401])],
    ["the API is not called", false, visit("A", "/")],
  ])("%s: %s", (_, expected, use) => {
    expect(hasSession(ofApp("/"), use)).toBe(expected);
  });

  it("is not known from a refused call if strangers get the same page", () => {
    const refused = visit("A", "/projects", ["api", 401]);
    expect(hasSession(ofApp("/projects"), refused)).toBeNull();
    expect(hasSession(ofApp("/projects"), visit("A", "/projects"))).toBe(false);
  });

  it("is shown by any call when the browser should not be logged in", () => {
    expect(isLoggedIn(ofApp("/"), visit("A", "/", ["api", 401]))).toBe(true);
  });
});
