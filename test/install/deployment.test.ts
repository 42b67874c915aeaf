import { expect, test } from "vitest";
import { always, jobWith, startSimulation } from "../rig/simulation.ts";

// What a manifest and a recorded job of another deployment hold, as the shipped profile `crowdin` reads them.

const serves = {
  identifier: "word-book",
  name: "Word book",
  logo: "/logo.svg",
  baseUrl: "https://word-book.example",
  authentication: { type: "crowdin_app", clientId: "app-sim-client" },
  scopes: ["project", "tm"],
  events: { installed: "/installed", uninstall: "/uninstall" },
  modules: {
    "auth-guard": [
      {
        key: "presence",
        name: "Presence",
        url: "/verify",
        options: { type: "iframe", applyToAdmin: true, url: "/page" },
      },
    ],
    "file-post-import": [{ key: "tidy", url: "/import" }],
  },
};
const config = { profile: "crowdin" };

test("its names are read, and its additional fields are kept", async () => {
  const modules = {
    ...serves.modules,
    "file-post-export": [{ key: "export", url: "https://elsewhere.example/export" }],
  };
  const events = { ...serves.events, subscription_paid: "/paid" };
  await using run = await startSimulation({
    serves: { ...serves, modules, events },
    answer: always({ success: true }),
    ...config,
  });
  const { apps, warnings } = await run.sim.manifest();
  expect(apps[0]?.guards).toMatchObject([{ key: "presence", type: "frame", applyToAdmins: true }]);
  expect(warnings).toEqual([]);
});

test("unknown module types are listed by manifest, and counted elsewhere", async () => {
  const more = { ...serves, colour: "red", weight: 7 };
  await using run = await startSimulation({ serves: more, answer: always({ success: true }), ...config });
  const { warnings } = await run.sim.manifest();
  expect(warnings).toEqual(["colour", "weight"].map((name) => expect.stringContaining(`manifest: ${name} is not`)));
  expect((await run.sim.guard()).warnings).toEqual([
    expect.stringMatching(/^manifest: 2 members .*app-sim manifest lists/),
  ]);
});

test("without the profile, a hint names it, whether or not the manifest is refused", async () => {
  await using refused = await startSimulation({ serves });
  expect(await refused.sim.manifest()).toMatchObject({
    outcome: "failed",
    problems: expect.arrayContaining([
      expect.objectContaining({ path: "", message: expect.stringContaining("--profile crowdin") }),
    ]),
  });
  await expect(refused.sim.guard()).rejects.toMatchObject({ hint: expect.stringContaining("--profile crowdin") });
  await using read = await startSimulation({ serves: { ...serves, modules: {} } });
  expect((await read.sim.manifest()).warnings).toContainEqual(expect.stringContaining("--profile crowdin"));
});

test("its identifier is the id of the app, its scopes are those of the token; another client id is reported", async () => {
  const other = { ...serves, authentication: { type: "crowdin_app", clientId: "another" } };
  await using run = await startSimulation({
    serves: other,
    answer: (call) => call.send("", { status: 204 }),
    ...config,
  });
  const { warnings } = await run.sim.install();
  expect(run.app.calls[0]?.json()).toMatchObject({ appId: "word-book" });
  expect(warnings).toContainEqual(
    expect.stringMatching(/authentication\.clientId is "another", but .*APP_SIM_CLIENT_ID/),
  );
  const ask = async (changes: object) => {
    const proof = { app_id: "word-book", app_secret: "app-sim-app-secret", domain: "acme", user_id: 101 };
    const client = {
      client_id: "app-sim-client",
      client_secret: "app-sim-client-secret-long-enough-for-HS256",
    };
    const body = JSON.stringify({ grant_type: "crowdin_app", ...client, ...proof, ...changes });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${run.sim.url}/oauth/token`, { method: "POST", headers, body })).json();
  };
  expect(await ask({})).toMatchObject({ scope: "project tm" });
  expect(await ask({ app_id: "app-sim-app" })).toMatchObject({
    error_description: expect.stringContaining("id is app-sim-app, but its installation has word-book"),
  });
  const unauthorized = await fetch(`${run.sim.url}/api/v2/projects`, { headers: { authorization: "Bearer x" } });
  expect(await unauthorized.json()).toEqual({ error: { message: "Unauthorized", code: 401 } });
});

test("scopes that are missing in the configuration are reported, in any order", async () => {
  const warningsWith = async (scopes: string[]) => {
    await using run = await startSimulation({ serves, scopes, ...config });
    return (await run.sim.manifest()).warnings;
  };
  expect(await warningsWith(["project"])).toEqual([
    expect.stringMatching(/^manifest: scopes is \["project","tm"\], but the configuration has \["project"\]/),
  ]);
  expect(await warningsWith(["tm", "project"])).toEqual([]);
});

test("a job from elsewhere is sent with this deployment's jobType, or unchanged; jobType may be missing", async () => {
  await using run = await startSimulation({ serves, answer: always({ data: {} }), ...config });
  const sent = async (changes: object, options = {}) => {
    const { jobs } = await run.sim.postImport({ name: "job", job: { ...jobWith([]), ...changes } as never }, options);
    return { findings: jobs[0]?.findings, body: run.app.calls.at(-1)?.json() };
  };
  expect(await sent({ jobType: "file-post-import" })).toMatchObject({
    body: { jobType: "post-import-file" },
    findings: [{ message: expect.stringContaining("does the app know this jobType") }],
  });
  expect(await sent({ jobType: "file-post-import" }, { asIs: true })).toMatchObject({
    body: { jobType: "file-post-import" },
  });
  expect(await sent({ jobType: undefined })).toMatchObject({ body: { jobType: "post-import-file" } });
});
