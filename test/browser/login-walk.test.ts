import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../rig/browser.ts";
import { guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { awaitPage, begin } from "../rig/logins.ts";
import { startServer } from "../rig/server.ts";
import { startSimulation } from "../rig/simulation.ts";
import { appFrame, heading, logInAt, sendHtml, sendPresence, sendTerms, startGuardedApp } from "./guarded-app.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A page of a browser that knows nothing yet. */
async function openPage(options: { readonly javaScriptEnabled?: boolean } = {}): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("3.1: the whole login, done only in a browser", () => {
  it("asks at every stage, shows how to pass it, and lets the user in", async () => {
    const login = { mfa: true, deviceTrust: true, rememberMe: true };
    await using run = await startGuardedApp(["direct", "redirect", "frame"], { login });
    run.steer.page = (call, platform) =>
      call.path.startsWith("/terms") ? sendTerms(call, platform) : sendPresence(call, platform);
    await using page = await openPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));

    await page.goto(`${run.sim.url}/acme/login`);
    // Chromium gives a field its focus some time after the page has loaded.
    await page.locator("#password:focus").waitFor();
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await heading(page, "Enter your password, try 2 of 3");
    expect(await page.title()).toBe("Enter your password, try 2 of 3 · app-sim");
    await button(page, "Enter the right password").click();
    await heading(page, "Enter the code from your authenticator");
    await button(page, "Enter this code").click();
    await heading(page, "Do you trust this device?");
    await button(page, "Trust this device").click();
    await page.getByRole("link", { name: "Accept" }).click();
    await heading(page, "Verification: Guard presence");
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Remember you on this device?");
    await button(page, "Remember me").click();
    await heading(page, "Access granted");
    expect(await page.locator(".stages .is-passed").count()).toBe(7);
    expect(run.codes()).toEqual([undefined, undefined, "good", undefined, "good"]);
    expect(faults).toEqual([]);
  });

  it("needs no script except for frames", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("office"), guardEntry("terms", { type: "redirect", url: "/terms" })] }),
      login: { mfa: true },
    });
    await using page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${run.sim.url}/acme/login`);
    await page.fill("#password", "app-sim-password");
    await button(page, "Log in").click();
    await page.fill("#code", await page.locator("#authenticator-code").innerText());
    await button(page, "Continue").click();
    await heading(page, "Verification: Guard office");
    (await run.app.nextCall()).reply({ success: true });
    (await run.app.nextCall()).reply({ success: false });
    // The page looks again by itself, and so comes to the app.
    sendTerms(await run.app.nextCall(), run.sim.url);
    await page.getByRole("link", { name: "Accept" }).click();
    (await run.app.nextCall()).reply({ success: true });
    await heading(page, "Access granted");
  });

  it("shows the authenticator's next code when the time of one is over", async () => {
    await using run = await startGuardedApp(["direct"], { login: { mfa: true } });
    await using page = await openPage();
    await page.clock.install();
    await logInAt(page, run);
    await heading(page, "Enter the code from your authenticator");
    await page.evaluate('document.getElementById("authenticator-code").textContent = "an old code"');
    await page.fill("#code", "half");
    await page.clock.runFor(31_000);
    await page.getByText(/^\d{6}$/).waitFor();
    expect(await page.inputValue("#code")).toBe("half");
  });
});

describe("3.1, 4.2: a redirect guard in a browser", () => {
  it("is reached by a form whose policy also applies to the redirect", async () => {
    await using run = await startGuardedApp(["redirect"]);
    run.steer.page = sendTerms;
    const login = await begin(run.sim, { page: "wait", manual: true });
    // Without scripts the page does not follow when the login goes on elsewhere.
    await using page = await openPage({ javaScriptEnabled: false });
    await page.goto(await login.link());
    login.enter({ stage: "password", password: "app-sim-password" });
    await awaitPage(login);
    await page.fill("#password", "of a stale page");
    await button(page, "Continue").click();
    await page.getByRole("link", { name: "Accept" }).click();
    await heading(page, "Access granted");
  });

  it("is a chain of 303, 302 and 303 with the query of the interface, and leads to granted", async () => {
    await using run = await startGuardedApp(["redirect"]);
    // The app's page goes back at once, so that all of it is one chain from the form on.
    run.steer.page = (call, platform) => {
      const state = new URL(call.path, platform).searchParams.get("state");
      call.send("", { status: 302, headers: { location: `${platform}/acme/guard/callback?state=${state}&code=good` } });
    };
    await using page = await openPage();
    const wire: string[] = [];
    page.on("response", (response) => {
      const { origin, pathname, searchParams } = new URL(response.url());
      if (/\.\w+$|events$/.test(pathname)) return;
      const where = origin === run.sim.url ? pathname.replace(/\/login\/.*/, "/login/ID") : `app ${pathname}`;
      wire.push([response.status(), where, ...searchParams.keys()].join(" "));
    });
    await logInAt(page, run);
    await heading(page, "Access granted");
    // As long as the app is being asked, the page of the login may be looked at more than once.
    expect(wire.filter((line) => line !== "200 /acme/login/ID")).toEqual([
      "200 /acme/login",
      "303 /acme/login",
      "302 /acme/login/ID",
      "302 app /terms jwtToken state",
      "303 /acme/guard/callback state code",
    ]);
    expect(run.codes()).toEqual([undefined, "good"]);
  });

  it("leads to denied if the app's page or the final call says so", async () => {
    await using run = await startGuardedApp(["redirect"]);
    run.steer.page = sendTerms;
    await using page = await openPage();
    await logInAt(page, run);
    await page.getByRole("link", { name: "Decline" }).click();
    await heading(page, "Access denied");
    expect(await page.getByText("Declined it.").count()).toBe(2);
    run.steer.final = { success: false, message: "That code is old." };
    await logInAt(page, run);
    await page.getByRole("link", { name: "Accept" }).click();
    await heading(page, "Access denied");
    expect(await page.getByText("That code is old.", { exact: true }).count()).toBe(2);
  });

  it("R35: Reload and Back do no harm, at the app's page and after it", async () => {
    await using run = await startGuardedApp(["redirect"]);
    run.steer.page = sendTerms;
    await using page = await openPage();
    await logInAt(page, run);
    await page.getByRole("link", { name: "Accept" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Accept" }).click();
    await heading(page, "Access granted");
    const end = page.url();
    await page.reload();
    await heading(page, "Access granted");
    await page.goBack();
    // The app's page is still there: its link is of a state that was used.
    await page.getByRole("link", { name: "Decline" }).click();
    await heading(page, "This callback was not accepted");
    await page.getByText("This state has already been used.").waitFor();
    await page.goto(end);
    await heading(page, "Access granted");
    expect(run.codes()).toEqual([undefined, "good"]);
  });

  it("is left by a form of the app's page that allows the platform only", async () => {
    await using run = await startGuardedApp(["redirect"]);
    run.steer.page = (call, platform) => {
      if (call.path.startsWith("/submit")) {
        const state = new URL(call.path, platform).searchParams.get("state");
        const location = `${platform}/acme/guard/callback?state=${state}&code=good`;
        return call.send("", { status: 302, headers: { location } });
      }
      const state = new URL(call.path, platform).searchParams.get("state");
      const form = `<form action="/submit"><input name="state" value="${state}"><button>Accept</button></form>`;
      sendHtml(call, form, { headers: { "content-security-policy": `form-action 'self' ${platform}` } });
    };
    await using page = await openPage();
    await logInAt(page, run);
    await button(page, "Accept").click();
    await heading(page, "Access granted");
  });
});

describe("3.1, 4.2: a frame guard in a browser", () => {
  it("leads to granted or denied as the app's page says, and to denied if the final call says so", async () => {
    await using run = await startGuardedApp(["frame"]);
    await using page = await openPage();
    await logInAt(page, run);
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await logInAt(page, run);
    await (await appFrame(page)).getByRole("button", { name: "No" }).click();
    await heading(page, "Access denied");
    expect(await page.getByText("It was not me.").count()).toBe(2);
    run.steer.final = { success: false, message: "Unknown code." };
    await logInAt(page, run);
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access denied");
    expect(await page.getByText("Unknown code.", { exact: true }).count()).toBe(2);
  });

  it("counts the time down, shows each request with its answer, and offers addresses to copy", async () => {
    await using run = await startGuardedApp(["frame"]);
    await using page = await openPage();
    await page.setViewportSize({ width: 1400, height: 900 });
    await logInAt(page, run);
    await appFrame(page);
    const exchange = page.locator("details.exchange");
    expect(await exchange.count()).toBe(1);
    await exchange.locator("summary").click();
    const text = await exchange.locator("pre").innerText();
    expect(text).toMatch(/→ POST [\s\S]*"aud": [\s\S]*"userId": [\s\S]*← 200[\s\S]*"success": false/);
    expect(text).not.toContain("app-sim-client-secret-long-enough-for-HS256");
    expect(await page.getByRole("button", { name: /^Copy http:/ }).count()).toBe(1);
    await page.getByText(/You have 59[0-8] s left/).waitFor();
    // On a wide screen the stages are beside the frame, and not below it.
    const tops = await page.evaluate(
      "['iframe', '.beside'].map((at) => document.querySelector(at).getBoundingClientRect().top)",
    );
    expect((tops as number[])[1]).toBeLessThan((tops as number[])[0] ?? 0);
  });

  it("hears a page that reports immediately, and only once", async () => {
    await using run = await startGuardedApp(["frame"]);
    const report = '<script>AP.verifyAuth({ code: "good" }); AP.verifyAuth({ code: "second" });</script>';
    run.steer.page = (call, platform) => sendHtml(call, `<script src="${platform}/host.js"></script>${report}`);
    await using page = await openPage();
    await logInAt(page, run);
    await heading(page, "Access granted");
    expect(run.codes()).toEqual([undefined, "good"]);
  });

  it("hears a page that loads the script late, with its own script", async () => {
    await using run = await startGuardedApp(["frame"]);
    run.steer.page = (call, platform) =>
      sendHtml(
        call,
        `<script>
          const script = document.createElement("script");
          script.src = "${platform}/iframe.js";
          script.onload = () => AP.verifyAuth({ code: "good" });
          addEventListener("load", () => document.body.append(script));
        </script>`,
      );
    await using page = await openPage();
    await logInAt(page, run);
    await heading(page, "Access granted");
  });

  it("R35: Reload shows the frame again; Back after the end shows the end", async () => {
    await using run = await startGuardedApp(["frame"]);
    await using page = await openPage();
    await logInAt(page, run);
    await appFrame(page);
    await page.reload();
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    const end = page.url();
    await page.goto(run.sim.url);
    await page.goBack();
    expect(page.url()).toBe(end);
    await heading(page, "Access granted");
    expect(run.codes()).toEqual([undefined, "good"]);
  });

  it("works for an app that listens on IPv6 only", async () => {
    await using app = await startFakeApp({ host: "::1" });
    await using run = await startGuardedApp(["frame"], { app: { url: app.url } });
    app.answer((call) => {
      if (call.path === "/manifest.json") return call.reply(run.app.manifest);
      if (call.method === "GET") return sendPresence(call, run.sim.url);
      call.reply({ success: "code" in (call.json() as object) });
    });
    await using page = await openPage();
    await logInAt(page, run);
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
  });
});

describe("terminal and browser are views of one login", () => {
  it("and stay in sync: every page shows what happens in one", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("office")] }),
      login: { mfa: true },
    });
    const login = await begin(run.sim, { page: "wait", manual: true });
    await using first = await openPage();
    await using second = await openPage();
    const both = async (name: string) => void (await Promise.all([heading(first, name), heading(second, name)]));
    for (const page of [first, second]) await page.goto(await login.link());
    await both("Enter your password");
    login.enter({ stage: "password", password: "app-sim-password" });
    await both("Enter the code from your authenticator");
    await first.fill("#code", "wrong");
    await button(first, "Continue").click();
    await both("Enter the code from your authenticator, try 2 of 3");
    login.enter({ stage: "mfa", code: login.authenticator().code });
    await both("Verification: Guard office");
    (await run.app.nextCall()).reply({ success: false, message: "No." });
    await both("Access denied");
  });

  it("a page that sends a form does not reload as well, when it learns that its stage is passed", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("office")] }),
      login: { mfa: true },
    });
    const login = await begin(run.sim, { page: "wait", manual: true });
    await using first = await openPage();
    await using second = await openPage();
    for (const page of [first, second]) await page.goto(await login.link());
    const isPassed = (page: Page) => heading(page, "Enter the code from your authenticator");
    await first.route("**/*", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const response = await route.fetch({ maxRedirects: 0 });
      await isPassed(second);
      await route.fulfill({ response });
    });
    const ends: string[] = [];
    const note = (end: string) => (request: Request) => {
      if (request.isNavigationRequest()) ends.push(`${request.method()} ${end}`);
    };
    first.on("requestfinished", note("answered"));
    first.on("requestfailed", note("given up"));
    await button(first, "Enter the right password").click();
    await isPassed(first);
    expect(ends).toEqual(["POST answered", "GET answered"]);
  });

  it("a page that comes back from the browser's history is loaded again", async () => {
    await using run = await startGuardedApp(["direct"], { login: { mfa: true } });
    await using page = await openPage();
    await logInAt(page, run);
    await heading(page, "Enter the code from your authenticator");
    const loaded = page.waitForEvent("load");
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
    await loaded;
  });

  it("a page says so when app-sim is gone", async () => {
    await using run = await startGuardedApp(["direct"]);
    const login = await begin(run.sim, { page: "wait", manual: true });
    const server = await startServer(run.sim);
    await using page = await openPage();
    await page.goto(server.url + new URL(await login.link()).pathname);
    await heading(page, "Enter your password");
    await server.close();
    await page.getByRole("status").getByText("app-sim does not answer.").waitFor();
  });
});
