import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { ask } from "../guard/visitor.ts";
import { type AppCall, guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { jobWith, startSimulation } from "../rig/simulation.ts";

// An organization without a domain: everywhere a domain travels there is null, or nothing at all.

const modules = {
  guards: [guardEntry("terms", { type: "redirect", url: "/page" })],
  imports: [importEntry("tidy")],
  webhooks: [webhookEntry("events", ["project.translated"])],
};
const serves = { ...manifestOf(modules), events: { installed: "/installed" } };
const organization = { domain: null, edition: "standard" } as const;

/** Starts an app whose page has a button that leads its user back, to this path of the platform. */
async function start(path: string) {
  const platform = { url: "" };
  const answer = (call: AppCall) => {
    const { pathname, search, searchParams } = new URL(call.path, "http://app");
    if (pathname === "/page" && call.method === "GET") {
      const form = `<form method="post" action="${`/page${search}`.replaceAll("&", "&amp;")}"><button name="accept">Yes</button></form>`;
      return call.send(form, { headers: { "content-type": "text/html" } });
    }
    if (pathname === "/page") {
      const query = new URLSearchParams({ state: searchParams.get("state") ?? "", code: "once" });
      return call.send("", { status: 302, headers: { location: `${platform.url}${path}?${query}` } });
    }
    if (call.header("x-module-key") !== undefined || pathname === "/installed") return call.send("", { status: 204 });
    const body = call.json() as { readonly moduleKey?: string; readonly code?: string };
    return call.reply(body.moduleKey === undefined ? { data: { strings: [] } } : { success: body.code === "once" });
  };
  const run = await startSimulation({ serves, organization, profile: "installation", answer });
  platform.url = run.sim.url;
  return run;
}

test("its logins have addresses without a domain, and return to a callback without one", async () => {
  await using run = await start("/guard/callback");
  const login = await run.sim.guard({ user: "manager", page: { fill: {}, press: ["accept"] } });
  expect([login.outcome, login.warnings]).toEqual(["granted", []]);
  const token = run.app.calls.find(({ path }) => path.startsWith("/page"))?.path ?? "";
  expect(decodeJwt(new URLSearchParams(token.split("?")[1]).get("jwtToken") ?? "")).toMatchObject({
    domain: null,
    context: { organization_domain: null },
  });
  expect((await ask(`${run.sim.url}/login`)).status).toBe(200);
  expect((await ask(run.sim.url)).body).toContain(`${run.sim.url}/guard/callback`);
});

test("the callback of an organization with a domain is refused", async () => {
  await using run = await start("/acme/guard/callback");
  const login = await run.sim.guard({ user: "manager", page: { fill: {}, press: ["accept"] } });
  expect([login.outcome, login.reason]).toEqual(["needs-user", expect.stringContaining("404")]);
});

test("its events, jobs, deliveries and tokens name none", async () => {
  await using run = await start("/guard/callback");
  await run.sim.install();
  const job = { ...jobWith([]), organization: { ...jobWith([]).organization, domain: null } };
  await run.sim.postImport({ name: "job.json", job });
  await run.sim.webhook("project.translated");
  const [event, sent, delivery] = run.app.calls;
  expect([event, sent].map((call) => call?.json())).toEqual([
    expect.objectContaining({ organization_id: 200_000_001, domain: null }),
    expect.objectContaining({ organization: expect.objectContaining({ domain: null }) }),
  ]);
  expect(delivery?.headers.map(([name]) => name)).toContain("X-Platform-Id");
  expect(delivery?.headers.map(([name]) => name)).not.toContain("X-Platform-Domain");
});

test("its REST API is only at the host of the API", async () => {
  await using run = await start("/guard/callback");
  const { port } = new URL(run.sim.url);
  const grant = {
    grant_type: "app_installation",
    client_id: "app-sim-client",
    client_secret: "app-sim-client-secret-long-enough-for-HS256",
  };
  const proof = { app_id: "app-sim-app", app_secret: "app-sim-app-secret", domain: "", user_id: 101 };
  const response = await fetch(`${run.sim.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...grant, ...proof }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  expect(decodeJwt(access_token)).toMatchObject({ domain: null });
  const projects = (host: string) =>
    ask(`${run.sim.url}/api/v2/projects`, { headers: { host, authorization: `Bearer ${access_token}` } });
  expect((await projects(`localhost:${port}`)).status).toBe(200);
  expect((await projects(`acme.localhost:${port}`)).status).toBe(404);
});
