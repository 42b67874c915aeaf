import { describe, expect, it } from "vitest";
import { judgeFramePage } from "../../src/guard/visit/silent-frame.ts";
import type { HeaderLines } from "../../src/journal/exchange.ts";

const platform = new URL("http://127.0.0.1:7410");
const SDK = '<script src="http://127.0.0.1:7410/host.js"></script>';
const html: HeaderLines = [["Content-Type", "text/html; charset=utf-8"]];

interface Served {
  readonly status?: number;
  readonly headers?: HeaderLines;
  readonly html?: string;
  readonly url?: string;
}

/** The reasons and hints of a page that is all right but for what is given. */
function judge({ status = 200, headers = [], html: body = SDK, url = "http://127.0.0.1:3000/page" }: Served) {
  const page = { url: new URL(url), status, headers: [...headers, ...html], html: body };
  return judgeFramePage(page, platform, { by: "token" });
}

const reasonsOf = (served: Served) => judge(served).map(({ reason }) => reason);
const csp = (policy: string): Served => ({ headers: [["Content-Security-Policy", policy]] });
const notLoaded = "the page did not load http://127.0.0.1:7410/host.js";

describe("4.2: why the page of a frame guard is silent", () => {
  it.each<[string, Served, string]>([
    [
      "a redirect",
      { status: 302, headers: [["Location", "/login?jwtToken=a.b.c"]] },
      "the page answered 302, a redirect to /login?jwtToken=‹redacted›",
    ],
    ["a refusal of the token", { status: 401 }, "the page answered 401: it did not accept the call as authentic"],
    ["no such page", { status: 404 }, "the page answered 404: it has no such endpoint"],
    ["a fault of the app", { status: 500 }, "the page answered 500"],
    ["JSON", { headers: [["content-type", "application/json"]] }, "the page has the Content-Type application/json"],
    ["a type that hides", { headers: [["content-type", "x/\u202e"]] }, "the page has the Content-Type x/<U+202E>"],
    [
      "a download",
      { headers: [["Content-Disposition", "Attachment; filename=a"]] },
      "the page is sent as an attachment",
    ],
    [
      "X-Frame-Options: deny",
      { headers: [["x-frame-options", "deny"]] },
      "the page refuses to be framed: X-Frame-Options is deny",
    ],
    [
      "X-Frame-Options, twice",
      { headers: [["X-Frame-Options", "x, SAMEORIGIN"]] },
      "the page refuses to be framed: X-Frame-Options is SAMEORIGIN",
    ],
    [
      "frame-ancestors 'none'",
      csp("frame-ancestors 'none'"),
      "the page refuses to be framed by http://127.0.0.1:7410: its policy is frame-ancestors 'none'",
    ],
    [
      "frame-ancestors of nobody",
      csp("frame-ancestors"),
      "the page refuses to be framed by http://127.0.0.1:7410: its policy is frame-ancestors",
    ],
    [
      "frame-ancestors 'self'",
      csp("frame-ancestors 'self'"),
      "the page refuses to be framed by http://127.0.0.1:7410: its policy is frame-ancestors 'self'",
    ],
    [
      "another name of the platform",
      csp("frame-ancestors http://localhost:7410"),
      "the page refuses to be framed by http://127.0.0.1:7410: its policy is frame-ancestors http://localhost:7410",
    ],
    [
      "the second of two policies",
      csp("frame-ancestors *, frame-ancestors 'none'"),
      "the page refuses to be framed by http://127.0.0.1:7410: its policy is frame-ancestors 'none'",
    ],
    ["script-src", csp("script-src 'self'"), "the page's policy does not let scripts of http://127.0.0.1:7410 run"],
    ["default-src", csp("default-src 'self'"), "the page's policy does not let scripts of http://127.0.0.1:7410 run"],
    [
      "a policy in the HTML",
      { html: `<meta http-equiv="content-security-policy" content="script-src 'self'">${SDK}` },
      "the page's policy does not let scripts of http://127.0.0.1:7410 run",
    ],
    [
      "a sandbox",
      csp("sandbox allow-forms"),
      "the page's policy has a sandbox without allow-scripts and allow-same-origin",
    ],
    [
      "a sandbox with scripts",
      csp("sandbox allow-scripts"),
      "the page's policy has a sandbox without allow-same-origin",
    ],
    ["no script", { html: "<h1>Hello</h1>" }, "the page's HTML does not load http://127.0.0.1:7410/host.js"],
    [
      "another platform's",
      { html: '<script src="http://localhost:7410/host.js?v=1"></script>' },
      "the page loads http://localhost:7410/host.js, not http://127.0.0.1:7410/host.js",
    ],
    [
      "the app's own",
      { html: '<script src="/js/host.js"></script>' },
      "the page loads http://127.0.0.1:3000/js/host.js, not http://127.0.0.1:7410/host.js",
    ],
    [
      "one below another base",
      { html: '<base href="https://cdn.example/a/"><script src="host.js"></script>' },
      "the page loads https://cdn.example/a/host.js, not http://127.0.0.1:7410/host.js",
    ],
    [
      "one that is only spoken of",
      { html: "<script src=app.js></script><!-- http://127.0.0.1:7410/host.js -->" },
      notLoaded,
    ],
    ["nothing that can be seen", {}, notLoaded],
  ])("%s", (_, served, reason) => {
    expect(reasonsOf(served)).toEqual([reason]);
    for (const { hint } of judge(served)) if (served.status !== 500) expect(hint).toMatch(/\w/);
  });

  it.each<[string, Served]>([
    [
      "frame-ancestors that lets the platform in, whatever X-Frame-Options says",
      {
        headers: [
          ["X-Frame-Options", "DENY"],
          ["Content-Security-Policy", "frame-ancestors http://127.0.0.1:*"],
        ],
      },
    ],
    ["X-Frame-Options that no browser knows", { headers: [["X-Frame-Options", "ALLOW-FROM http://a.example"]] }],
    [
      "a policy that is only reported",
      { headers: [["Content-Security-Policy-Report-Only", "frame-ancestors 'none'"]] },
    ],
    ["a script-src with the platform", csp("script-src 'self' http://127.0.0.1:7410/host.js")],
    ["a nonce", csp("script-src 'nonce-abc'")],
    ["a hash", csp("script-src 'sha256-abc='")],
    ["a sandbox with both", csp("sandbox allow-scripts allow-same-origin")],
    ["iframe.js", { html: '<script src="http://127.0.0.1:7410/iframe.js"></script>' }],
  ])("is not %s", (_, served) => {
    expect(reasonsOf(served)).toEqual([notLoaded]);
  });

  it("may be more than one thing", () => {
    expect(
      reasonsOf({
        headers: [
          ["X-Frame-Options", "DENY"],
          ["Content-Security-Policy", "script-src 'self'"],
        ],
        html: "",
      }),
    ).toHaveLength(2);
  });

  it.each<[string, Served]>([
    ["the policy", csp("frame-ancestors 'self' undefined")],
    ["an address in the policy", csp("frame-ancestors http://undefined")],
    ["the script's address", { html: '<script src="undefined/host.js"></script>' }],
  ])("recognizes a setting that the app does not have by %s", (_, served) => {
    expect(judge(served).map(({ hint }) => hint)).toEqual([
      expect.stringMatching(
        /^there is "undefined" in place of .*: PLATFORM_SDK_URL, .* should be http:\/\/127\.0\.0\.1:7410;/,
      ),
    ]);
  });

  it.each<[string, Served, string]>([
    ["the policy", csp("frame-ancestors http://127.0.0.1:9"), "PLATFORM_AUTH_URL"],
    ["the policy of its scripts", csp("script-src 'self' http://127.0.0.1:9"), "PLATFORM_SDK_URL"],
    ["the script's address", { html: '<script src="http://127.0.0.1:9/host.js"></script>' }, "PLATFORM_SDK_URL"],
  ])("says which setting to change in an app with the address of another platform, by %s", (_, served, setting) => {
    expect(judge(served).map(({ hint }) => hint)).toEqual([
      expect.stringMatching(`^the platform is http://127\\.0\\.0\\.1:7410 here: give the app the ${setting} that `),
    ]);
  });

  it.each(["frame-ancestors 'self'", "frame-ancestors http://127.0.0.1:3000"])(
    "does not mistake the app's own address for a platform: %s",
    (policy) => {
      expect(judge(csp(policy))[0]?.hint).toMatch(/^let the platform in: /);
    },
  );

  it("does not mistake a keyword without quotes for a setting", () => {
    expect(judge(csp("frame-ancestors none"))[0]?.hint).toMatch(/^let the platform in: /);
  });

  it("says that the page led to the app's own sign-in", () => {
    expect(judge({ status: 302, headers: [["location", "/users/sign_in?next=x"]] })[0]?.hint).toBe(
      "GET http://127.0.0.1:3000/page led to http://127.0.0.1:3000/users/sign_in: if that is the app's own sign-in, make the guard's page accessible without it",
    );
    expect(judge({ status: 302, headers: [["location", "/design-inspection"]] })[0]?.hint).toMatch(/^does the page/);
  });

  it("says which origin the frame shows if the page leads elsewhere", () => {
    const [away] = judge({ status: 303, headers: [["location", "https://login.example/"]] });
    expect(away?.hint).toContain("the frame shows only pages of http://127.0.0.1:3000");
  });
});

it("a script loaded as a module needs CORS, which the platform does not offer", () => {
  const [trouble] = judge({ html: '<script type="module" src="http://127.0.0.1:7410/host.js"></script>' });
  expect(trouble).toEqual({
    reason: notLoaded,
    hint: 'leave type="module" out: browsers load a module of another origin only with CORS',
  });
});
