import { createContext, runInContext } from "node:vm";
import { load } from "cheerio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { badTokens, callGuard, issued, type Person, tokenFor } from "./platform.ts";

const person: Person = { userId: 104, organizationId: 7 };
const refusal = { success: false, message: "The confirmation is unknown, used or too old. Log in again." };

let app: SampleApp;

beforeEach(async () => {
  app = await startSampleApp(issued);
});

afterEach(() => app.close());

function askGuard(asked: Person, options: { readonly code?: string; readonly ipAddress?: string }) {
  return callGuard(`${app.url}/guards/presence`, "presence", asked, options);
}

/** The address that the platform shows in its frame; a null token is left out. */
function pageAddress(token: string | null = tokenFor("presence", person)): string {
  return `${app.url}/guards/presence/page${token === null ? "" : `?${new URLSearchParams({ jwtToken: token })}`}`;
}

/** What the page calls when the user says "It is me". */
async function confirm(token: string | null): Promise<{ readonly status: number; readonly json: unknown }> {
  const headers = { ...(token !== null && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${app.url}/guards/presence/confirm`, { method: "POST", headers });
  return { status: response.status, json: await response.json() };
}

async function newCode(confirming: Person = person): Promise<string> {
  const { json } = await confirm(tokenFor("presence", confirming));
  return (json as { code: string }).code;
}

describe("the guard (interface 3.1)", () => {
  it.each([
    ["203.0.113.10", true],
    ["192.0.1.255", true],
    ["192.0.2.0", false],
    ["192.0.2.255", false],
    ["192.0.3.0", true],
    ["::ffff:192.0.2.7", false],
    ["2001:db8:feec::1", true],
    ["2001:db8:feed:ffff::1", false],
    ["2001:DB8:FEED::1", false],
  ])("the first call from %s gets success %s", async (ipAddress, success) => {
    const message = "Confirm that it is you who logs in.";
    expect(await askGuard(person, { ipAddress })).toEqual(success ? { success } : { success, message });
  });

  it("lets the user in with the code that the page got", async () => {
    const ipAddress = "192.0.2.10";
    const code = await newCode();
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(await askGuard(person, { ipAddress, code })).toEqual({ success: true });
    expect(await askGuard(person, { ipAddress, code })).toEqual(refusal);
  });

  it.each<[sent: string, code: () => Promise<string>]>([
    ["an unknown code", async () => "A".repeat(43)],
    ["an empty code", async () => ""],
    ["another user's code", () => newCode({ ...person, userId: 103 })],
    ["another organization's code", () => newCode({ ...person, organizationId: 8 })],
    ["a used code", () => newCode().then((code) => askGuard(person, { code }).then(() => code))],
  ])("G14: does not let the user in with %s, wherever the login comes from", async (_sent, code) => {
    const right = await newCode();
    expect(await askGuard(person, { ipAddress: "203.0.113.10", code: await code() })).toEqual(refusal);
    expect(await askGuard(person, { ipAddress: "192.0.2.10", code: right })).toEqual({ success: true });
  });

  it("G15: of 20 simultaneous calls with one code, one is let in", async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => askGuard(person, { code })));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
  });
});

describe("the call that makes a code (interface 4.2)", () => {
  it.each(badTokens("presence", person))("P1: makes none with %s", async (_wrong, token) => {
    const printable = token?.replace(/[^!-~]/g, "") ?? null;
    expect((await confirm(printable)).status).toBe(401);
    expect((await confirm(tokenFor("presence", person))).status).toBe(200);
  });

  it("P1: makes none with the token of another guard, or in the address", async () => {
    expect((await confirm(tokenFor("terms", person))).status).toBe(401);
    const address = pageAddress().replace("/page?", "/confirm?");
    expect((await fetch(address, { method: "POST" })).status).toBe(401);
  });

  it("makes none when the token does not say whom it is about", async () => {
    expect((await confirm(tokenFor("presence", person, { context: undefined }))).status).toBe(403);
  });

  it("makes another one each time, and each is valid", async () => {
    const [first, second] = [await newCode(), await newCode()];
    expect(first).not.toBe(second);
    for (const code of [first, second]) expect(await askGuard(person, { code })).toEqual({ success: true });
  });
});

describe("the page", () => {
  it("4.2: has two buttons, the platform's script, and then its own", async () => {
    const response = await fetch(pageAddress());
    const $ = load(await response.text());
    expect(
      $("button")
        .toArray()
        .map((button) => [$(button).attr("id"), $(button).text()]),
    ).toEqual([
      ["confirm", "It is me"],
      ["deny", "It is not me"],
    ]);
    const scripts = $("script").toArray();
    expect(scripts.map((script) => $(script).attr("src"))).toEqual([`${issued.authUrl}/host.js`, "page.js"]);
    expect($("script").text()).toBe("");
    expect($("form").length).toBe(0);
  });

  it("P5: may be framed by the platform only, and run no scripts but these two", async () => {
    const { headers } = await fetch(pageAddress());
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        `script-src 'self' ${issued.authUrl}/host.js`,
        "connect-src 'self'",
        "form-action 'none'",
        `frame-ancestors ${issued.authUrl}`,
      ].join("; "),
    });
    expect(headers.has("x-frame-options")).toBe(false);
  });

  it("loads the platform's script from sdkUrl", async () => {
    const addresses = { authUrl: "https://platform.test/login", sdkUrl: "https://cdn.test/sdk/" };
    const other = await startSampleApp({ ...issued, ...addresses });
    try {
      const response = await fetch(pageAddress().replace(app.url, other.url));
      expect(
        load(await response.text())("script")
          .first()
          .attr("src"),
      ).toBe("https://cdn.test/sdk/host.js");
      const policy = response.headers.get("content-security-policy");
      expect(policy).toContain("script-src 'self' https://cdn.test/sdk/host.js;");
      expect(policy).toMatch(/frame-ancestors https:\/\/platform\.test$/);
    } finally {
      await other.close();
    }
  });

  it.each(badTokens("presence", person))(
    "P1: does not open with %s; the platform's frame says so",
    async (_wrong, token) => {
      const response = await fetch(pageAddress(token));
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(response.headers.get("content-security-policy")).toContain(`frame-ancestors ${issued.authUrl}`);
      const $ = load(await response.text());
      expect([$("button, script, form").length, $("h1").text()]).toEqual([0, "This login cannot go on here"]);
    },
  );

  it.each([
    ["/guards/presence/page.js", "text/javascript; charset=utf-8"],
    ["/style.css", "text/css; charset=utf-8"],
  ])("has its file %s, which holds nothing secret", async (path, contentType) => {
    const response = await fetch(app.url + path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, contentType]);
    expect(await response.text()).not.toMatch(/canary|eyJ/);
    expect((await fetch(app.url + path, { method: "HEAD" })).status).toBe(200);
  });

  it("loads the files that the app has", async () => {
    const $ = load(await (await fetch(pageAddress())).text());
    const files = [$("link").attr("href"), $("script").last().attr("src")].map(
      (file) => new URL(file ?? "", pageAddress()),
    );
    expect(files.map(({ pathname }) => pathname)).toEqual(["/style.css", "/guards/presence/page.js"]);
  });
});

interface Element {
  disabled?: boolean;
  textContent?: string;
  /** Presses it. Resolves when what that started is over. */
  click?(): Promise<void>;
  addEventListener(type: "click", listener: () => Promise<void>): void;
}

interface OpenPage {
  readonly confirm: Element;
  readonly deny: Element;
  readonly notice: Element;
}

/** Runs the page's own script on the three elements that it knows. */
async function openPage(address: string, AP: object | undefined): Promise<OpenPage> {
  const element = (): Element => {
    const made: Element = {
      addEventListener: (_type, listener) => {
        made.click = listener;
      },
    };
    return made;
  };
  const elements = { confirm: element(), deny: element(), notice: element() };
  const script = await (await fetch(new URL("page.js", address))).text();
  const context = createContext({
    document: { getElementById: (id: keyof typeof elements) => elements[id] },
    location: new URL(address),
    URLSearchParams,
    fetch: (url: string, init: RequestInit) => fetch(new URL(url, address), init),
    ...(AP !== undefined && { AP }),
  });
  runInContext(script, context);
  return elements;
}

describe("the page's script (interface 4.2)", () => {
  /** What the platform's script was told. */
  let reported: { readonly code?: string; readonly error?: string }[];
  const AP = { verifyAuth: (outcome: (typeof reported)[number]) => void reported.push(outcome) };

  beforeEach(() => {
    reported = [];
  });

  it("It is me: reports a code that passes the final call, once", async () => {
    const { confirm, deny, notice } = await openPage(pageAddress(), AP);
    await confirm.click?.();
    expect([confirm.disabled, deny.disabled]).toEqual([true, true]);
    expect(notice.textContent).toMatch(/^Thank you/);
    expect(reported).toEqual([{ code: expect.any(String) }]);
    const [outcome] = reported;
    expect(await askGuard(person, { code: outcome?.code ?? "" })).toEqual({ success: true });
  });

  it("It is not me: reports an error", async () => {
    const { deny } = await openPage(pageAddress(), AP);
    await deny.click?.();
    expect(reported).toEqual([{ error: "The user said “It is not me”." }]);
  });

  it("reports nothing when the app refuses, and lets the user try again", async () => {
    const expired = tokenFor("presence", person, { exp: 1 });
    const { confirm, deny, notice } = await openPage(pageAddress(expired), AP);
    await confirm.click?.();
    expect(reported).toEqual([]);
    expect([confirm.disabled, deny.disabled]).toEqual([false, false]);
    expect(notice.textContent).toContain("The bearer token is missing or not valid.");
  });

  it("says so when the platform's script did not load", async () => {
    const { deny, notice } = await openPage(pageAddress(), undefined);
    await deny.click?.();
    expect(notice.textContent).toContain("the platform's script did not load");
  });
});
