import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { UsageError } from "../../src/index.ts";
import { jsonText } from "../../src/output/json.ts";
import { parseScenario, readScenario } from "../../src/scenario/read-scenario.ts";
import { scenarioJsonSchema } from "../../src/scenario/scenario-schema.ts";
import { stepText } from "../../src/scenario/step-text.ts";
import { fixturePath } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const grantTypes = ["authorization_code", "refresh_token"];
const parse = (text: string) => parseScenario(text, "round.yml", grantTypes);

function mistakesIn(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error).toMatchObject({ code: "scenario-invalid", summary: "round.yml is not a valid scenario" });
    return error.problems.map(({ path, message }) => `${path} ${message}`);
  }
  throw new Error("it is valid");
}

/** A scenario of this one step, which stands on line 2 from column 5 on. */
const stepOf = (text: string) => `steps:\n  - ${text}\n`;

describe("a scenario file", () => {
  it("has a name, a seed and steps, each of which knows its line", () => {
    const { file, name, seed, steps } = parse(
      "# a comment\nname: a translation round\nseed: 7\nsteps:\n  - wait: 2s\n\n  - advance: 2h\n",
    );
    expect([file, name, seed]).toEqual(["round.yml", "a translation round", 7]);
    expect(steps.map(({ line }) => line)).toEqual([5, 7]);
    expect(parse(stepOf("wait: 1s"))).toMatchObject({ name: "round.yml", seed: undefined });
  });

  it("may be JSON, and use anchors", () => {
    const json = JSON.stringify({ $schema: "x", steps: [{ deliver: ["project.translated"], expect: "acknowledged" }] });
    expect(parse(json).steps).toHaveLength(1);
    expect(parse("steps:\n  - &first { wait: 1s }\n  - *first\n").steps.map(({ line }) => line)).toEqual([2, 2]);
  });

  it.each([
    ["deliver: project.translated", "deliver project.translated"],
    ["deliver: [a.b, c.d]", "deliver a.b, c.d"],
    [
      "{ deliver: { events: a.b, count: 3, gzip: true, tamper: [body, header], delay: { min: 1s, max: 2s } }, expect: refused }",
      "deliver a.b (count 3, delay 1s to 2s, tamper body header, gzip) and expect it refused",
    ],
    ["deliver: { data: { event: a.b } }", "deliver the events in its data"],
    [
      "{ deliver: a.b, expect: { result: acknowledged, status: 204, within: 2s, attempts: 1 } }",
      "deliver a.b and expect it acknowledged with status 204 within 2s after one attempt",
    ],
    ["expect: { call: GET /api/v2/projects }", "expect GET /api/v2/projects"],
    ["expect: { call: /api/**, within: 10s, times: 1, status: 200 }", "expect /api/** with status 200 once within 10s"],
    ["expect: { call: /x, times: { min: 2 } }", "expect /x at least 2 times"],
    ["expect: { call: /x, times: { min: 0, max: 3 } }", "expect /x 0 to 3 times"],
    ["expect: { token: refresh_token, within: 5s }", "expect a token request with refresh_token within 5s"],
    ["expect: { no: GET /api/v2/projects, within: 2s }", "expect no GET /api/v2/projects within 2s"],
    ["login: /login", "log in at /login"],
    ["login: true", "log in at verify.oauth.start"],
    ["login: { user: admin }", "log in at verify.oauth.start (user admin)"],
    ["login: { start: /login, user: admin, deny: true }", "log in at /login (user admin, deny)"],
    ["guard: true", "log in through the guards"],
    [
      "{ guard: { user: admin, modules: [a, b], page: { fill: { password: x } } }, expect: denied }",
      "log in through the guards (modules a b, user admin, page fill) and expect it denied",
    ],
    [
      "{ import: { file: jobs/a.json, via: url }, expect: failed }",
      "import jobs/a.json (via url) and expect it failed",
    ],
    ["import: /a.json", "import /a.json"],
    ["install: true", "install"],
    ["uninstall: { user: admin }", "uninstall (user admin)"],
    ["wait: 500ms", "wait 500ms"],
    ["advance: 30d", "advance the clock by 30d"],
    ["fault: token=500x2", "fault token=500x2"],
    ["fault: [clear, api=429@25%]", "fault clear, api=429@25%"],
  ])("a step says in words what it does: %s", (yaml, text) => {
    expect(parse(stepOf(yaml)).steps.map(({ action }) => stepText(action))).toEqual([text]);
  });

  it("searches its own files next to itself", async () => {
    using directory = makeTempDir();
    const text = `${stepOf("deliver: { events: a.b, fixtures: ../events }")}  - import: jobs/a.json\n`;
    const { steps } = await readScenario(directory.write("a/round.yml", text), grantTypes, []);
    expect(steps.map(({ action }) => action)).toMatchObject([
      { deliver: { fixtures: `${directory.path}/events` } },
      { import: { file: `${directory.path}/a/jobs/a.json` } },
    ]);
  });

  it.each(["translation-round", "expired-token"])("fixtures/scenarios/%s.yml is one", async (name) => {
    const { steps } = await readScenario(fixturePath(`scenarios/${name}.yml`), grantTypes, []);
    expect(steps.length).toBeGreaterThan(2);
  });
});

it("the JSON Schema is that of the code (UPDATE_DOCS=1 brings it up to date)", async () => {
  const file = fixturePath("scenario.schema.json");
  const expected = jsonText(scenarioJsonSchema());
  if (process.env.UPDATE_DOCS === "1") writeFileSync(file, expected);
  expect(readFileSync(file, "utf8")).toBe(expected);
});

describe("the JSON Schema", () => {
  const schema = z.fromJSONSchema(scenarioJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const isParsed = (step: unknown) => {
    try {
      return parse(JSON.stringify({ steps: [step] })).steps.length === 1;
    } catch {
      return false;
    }
  };

  it.each([
    { wait: "2s" },
    { wait: "1h" },
    { wait: "1m500ms" },
    { wait: "" },
    { wait: "2" },
    { wait: "2s1m" },
    { wait: 2 },
    { advance: "30d12h" },
    { advance: "d" },
    { fault: "clear" },
    { fault: ["api=503x1", "token=slow:1m30sx2", "api=429@2.5%"] },
    { fault: "api=503x0" },
    { fault: "api=refused" },
    { fault: "token=500:3s" },
    { fault: "token=slow:" },
    { fault: "token=500@5" },
    { fault: [] },
    { deliver: "a.b" },
    { deliver: { data: { event: "a.b" } } },
    { deliver: {} },
    { deliver: { count: 2 } },
    { deliver: { events: "a.b", tamper: "all" } },
    { deliver: { events: "a.b", delay: { min: "1s", max: "2s" } } },
    { deliver: { events: "a.b", delay: 2 } },
    { expect: { call: "GET /api/**" } },
    { expect: { call: "/api/*/x", times: 2 } },
    { expect: { call: "/x", times: { max: 2 } } },
    { expect: { call: "/x", times: { max: 0 } } },
    { expect: { call: "/x", times: 0 } },
    { expect: { call: "/x", times: "1-2" } },
    { expect: { call: "get /x" } },
    { expect: { call: "GET  /x" } },
    { expect: { call: "GET" } },
    { expect: { no: "/x?y" } },
    { expect: { no: "GTE /x" } },
    { expect: { no: "DELETE /x" } },
    { expect: { no: "/**/x" } },
    { expect: { token: "refresh_token" } },
    { expect: { token: "" } },
  ])("accepts what the parser accepts, and nothing else: %j", (step) => {
    expect(schema.safeParse({ steps: [step] }).success).toBe(isParsed(step));
  });

  it("accepts every duration that the parser accepts", () => {
    const unit = fc.constantFrom("d", "h", "m", "s", "ms", "x", "");
    const text = fc.array(fc.tuple(fc.nat(99), unit), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(text, (parts) => {
        const step = { advance: parts.map(([number, unit]) => `${number}${unit}`).join("") };
        expect(schema.safeParse({ steps: [step] }).success).toBe(isParsed(step));
      }),
    );
  });
});

describe("a mistake is reported with file, line, column, path, what is allowed, and the nearest name", () => {
  it.each<[yaml: string, ...says: RegExp[]]>([
    ["waitt: 2s", /^round\.yml:2:5 steps\[0\] has no action: .*deliver, login, .*Did you mean "wait"\?$/],
    ["5", /^round\.yml:2:5 steps\[0\] is 5: expected a step/],
    ["{ wait: 2s, for: x }", /^round\.yml:2:17 steps\[0\]\.for is not a known name.*Allowed here: wait$/],
    ["wait: 2", /^round\.yml:2:5 steps\[0\]\.wait is 2: expected a duration with its unit, such as 5s$/],
    ["wait:", /steps\[0\]\.wait is null: expected a duration with its unit/],
    ["fault: 5", /steps\[0\]\.fault is 5: expected a fault, such as api=503x1, or a list of them$/],
    ["fault: [5]", /steps\[0\]\.fault\[0\] is 5: expected a fault, such as api=503x1, or clear$/],
    ["wait: 2x", /^round\.yml:2:5 steps\[0\]\.wait is "2x": .*whole numbers with the units/],
    ["wait: 2h", /steps\[0\]\.wait is "2h": 2h is too long \(at most 1h\)$/],
    ["{ webhook: a.b, expect: refused }", /steps\[0\]\.webhook is not a step\. Did you mean "deliver"\?$/],
    ["webhook project.translated", /expected a step, .* Did you mean "deliver: project\.translated"\?$/],
    ["webook: project.translated", /has no action: .*Did you mean "deliver"\?$/],
    ["webhook: project.translated", /^round\.yml:2:5 steps\[0\] has no action: .*Did you mean "deliver"\?$/],
    ["fault: tokn=500", /^round\.yml:2:5 steps\[0\]\.fault\[0\] is "tokn=500": .*Did you mean "token"\?/],
    [
      "{ deliver: a.b, expect: acknowledgd }",
      /^round\.yml:2:21 steps\[0\]\.expect\.result .*Did you mean "acknowledged"/,
    ],
    [
      "{ deliver: a.b, expect: { statsu: 204 } }",
      /^round\.yml:2:31 steps\[0\]\.expect\.statsu .*Did you mean "status"\?/,
    ],
    ["deliver: { events: a.b, cuont: 2 }", /^round\.yml:2:29 steps\[0\]\.deliver\.cuont .*Did you mean "count"\?/],
    ["deliver: { events: a.b, tamper: bodi }", /steps\[0\]\.deliver\.tamper .*Did you mean "body"\?/],
    ["deliver: { events: a.b, drop: 2 }", /steps\[0\]\.deliver\.drop is 2: expected at most 1/],
    ["deliver: { events: a.b, delay: { min: 1s, max: 2 } }", /^round\.yml:2:47 steps\[0\]\.deliver\.delay\.max is 2/],
    [
      "deliver: { events: a.b, delay: 5 }",
      /delay is 5: expected a duration with its unit, such as 2s, or { min, max }$/,
    ],
    ["deliver: { events: a.b, delay: 2x }", /delay is "2x": .*whole numbers with the units/],
    ["deliver: { events: a.b, delay: { min: 2s, max: 1s } }", /deliver\.delay .*min is longer than max$/],
    [
      "{ deliver: { events: a.b, tamper: all }, expect: acknowledged }",
      /^round\.yml:2:46 steps\[0\]\.expect\.result is "acknowledged": the app must refuse tampered deliveries$/,
    ],
    ["deliver: { count: 2 }", /^round\.yml:2:5 steps\[0\]\.deliver names no event/],
    ["login: 1", /^round\.yml:2:5 steps\[0\]\.login is 1: expected an object/],
    ["login: ''", /^round\.yml:2:5 steps\[0\]\.login\.start is ""/],
    ["login: { strat: /login }", /login\.strat .*Did you mean "start"\?/],
    ["login: { start: /login, refresh: true }", /login\.refresh is not a known name.*start, user, deny, use$/],
    ["{ login: /login, expect: denied }", /steps\[0\]\.expect is not a known name/],
    ["guard: { user: admn }", /^round\.yml:2:14 steps\[0\]\.guard\.user .*Did you mean "admin"\?/],
    ["guard: network", /steps\[0\]\.guard is "network": .*such as guard: \{ modules: \[network\] \}/],
    ["guard: { page: wait }", /guard\.page is "wait": nobody opens a page in a scenario/],
    ["guard: { page: { browser: { executable: /bin/sh } } }", /browser\.executable is not a known name/],
    ["guard: { manual: true }", /guard\.manual is not a known name/],
    ["{ guard: true, expect: deneid }", /steps\[0\]\.expect .*Did you mean "denied"\?/],
    ["{ guard: { expect: denied } }", /guard\.expect is not a known name here: .*in the same column as guard$/],
    [
      "{ guard: true, expect: { outcome: granted } }",
      /allowed: "granted", "denied", "refused"; a single word, such as expect: granted$/,
    ],
    ["{ deliver: a.b, expect: 204 }", /expect is 204: expected an object, such as { status: 204 }$/],
    ["fault: tokn=500", /fault\[0\] is "tokn=500": there is no place "tokn"\. Did you mean "token"\?/],
    ["import: { fil: a.json }", /import\.file is missing/, /import\.fil .*Did you mean "file"\?/],
    ["{ import: a.json, expect: import }", /steps\[0\]\.expect .*Did you mean "imported"\?/],
    ["install: yes", /steps\[0\]\.install is "yes": expected an object/],
    ["uninstall: { usr: admin }", /uninstall\.usr .*Did you mean "user"\?/],
    ["deliver: []", /steps\[0\]\.deliver\.events/],
    ["expect: acknowledged", /steps\[0\]\.expect is "acknowledged": .*into its deliver step/],
    ["expect: { cal: GET /x }", /steps\[0\]\.expect has no expectation: .*call, token, no\. Did you mean "call"\?/],
    [
      "expect: { outcome: denied }",
      /has no expectation: .* Put the expected outcome into the step itself, without a dash/,
    ],
    [
      "{ deliver: project.translated, tamper: all }",
      /steps\[0\]\.tamper is not a known name here: it belongs elsewhere, as deliver: \{ tamper: … \}/,
    ],
    [
      "{ delivr: project.translated, expect: { result: acknowledged } }",
      /steps\[0\]\.delivr is not a step\. Did you mean "deliver"\?/,
    ],
    ["{ expect: { call: /x }, within: 2s }", /steps\[0\]\.within belongs inside expect/],
    [
      "expect: { call: get /x }",
      /steps\[0\]\.expect\.call is "get \/x": there is no method get\. Did you mean "GET"\?/,
    ],
    ["expect: { no: GTE /x }", /expect\.no is "GTE \/x": there is no method GTE\. Did you mean "GET"\? Allowed: GET, /],
    ["expect: { no: GET x }", /expect\.no is "GET x": expected a method and a path/],
    ["{ deliver: a.b, wait: 2s }", /^round\.yml:2:21 steps\[0\]\.wait is a separate step/],
    ["expect: { call: GET /x?y=1 }", /expect\.call is .*without a query/],
    ["expect: { call: GET /**/x }", /expect\.call is .*nothing can follow it/],
    ["expect: { call: GET }", /expect\.call is "GET": expected a method and a path/],
    ["expect: { call: /x, times: 0 }", /^round\.yml:2:25 steps\[0\]\.expect\.times is 0: .*from 1, .*expect: { no: /],
    ["expect: { call: /x, times: 1-2 }", /expect\.times is "1-2": expected a number from 1, or { min, max }; /],
    ["expect: { call: /x, times: { max: 0 } }", /expect\.times\.max is 0: expected at least 1; .*expect: { no: /],
    ["expect: { call: 5 }", /expect\.call is 5: expected a method and a path/],
    ["expect: { call: /x, times: { min: 3, max: 2 } }", /steps\[0\]\.expect\.times .*min is larger than max/],
    ["expect: { call: /x, times: { maxi: 2 } }", /steps\[0\]\.expect\.times\.maxi .*Did you mean "max"\?/],
    ["expect: { call: /x, status: 99 }", /expect\.status is 99: expected at least 100/],
    ["expect: { token: refresh }", /expect\.token is "refresh": .*authorization_code, refresh_token/],
    ["expect: { no: /x, times: 2 }", /steps\[0\]\.expect\.times is not a known name.*no, within/],
  ])("%s", (yaml, ...says) => {
    expect(mistakesIn(stepOf(yaml))).toEqual(says.map((each) => expect.stringMatching(each)));
  });

  it.each<[text: string, says: RegExp]>([
    ["", /^round\.yml:1:1 is empty: a scenario has a name and steps$/],
    ["# nothing yet\n", /^round\.yml:1:1 is empty: a scenario has a name and steps$/],
    ["[]", /^round\.yml:1:1 is a list: add a line steps: above it$/],
    ["- wait: 2s", /^round\.yml:1:1 is a list: add a line steps: above it$/],
    ["strings: []\nfile: { name: x }", /^round\.yml:1:1 has no steps$/],
    ["name: x", /^round\.yml:1:1 steps is missing/],
    ["steps: []", /^round\.yml:1:1 steps is \[\]: expected at least one step/],
    ["steps: wait", /^round\.yml:1:1 steps is "wait"/],
    ["nmae: x\nsteps:\n  - wait: 1s", /^round\.yml:1:1 nmae is not a known name\. Did you mean "name"\?/],
    ["steps:\n  - wait: 1s\nseed: x", /^round\.yml:3:1 seed is "x": expected a number/],
    ["steps:\n  - wait: 1s\n    wait: 2s", /^round\.yml:3:5 the name occurs a second time/],
    ["steps:\n  - wait: 1s\n---\nsteps: []", /^round\.yml:3:\d+ a second document starts here/],
    ["steps:\n- deliver: a.b\n   expect: refused", /^round\.yml:3:4 is indented too far: line 2 already has a value/],
    ["steps:\n  - deliver: a.b\n   expect: refused", /^round\.yml:3:1 fits no line above: begin it in the same column/],
    ["steps:\n - wait: 1s\n  - wait: 2s", /^round\.yml:3:\d fits no line above: begin it in the same column/],
    ["name: x\n  steps:\n  - wait: 1s", /^round\.yml:2:3 is indented too far: line 1 already has a value/],
    ["name: a: b\nsteps:\n  - wait: 1s", /^round\.yml:1:7 is not valid YAML: Nested mappings/],
    ["steps:\n\t- wait: 1s", /^round\.yml:2:\d .*/],
    ["steps:\n  - wait: [", /^round\.yml:2:11 this \[ is not closed$/],
    ["steps:\n  - guard: {user: manager\n", /^round\.yml:2:12 this \{ is not closed$/],
    ["steps:\n  - guard: {user: manager\n  - wait: 1s\n", /^round\.yml:2:12 this \{ is not closed$/],
    ['steps:\n  - wait: "1s\n', /^round\.yml:2:11 this " is not closed$/],
    ["steps:\n  - guard: {modules: [a, b}\n", /^round\.yml:2:22 this \[ is not closed$/],
    ["steps:\n  - wait: 1s\n  - } \n", /^round\.yml:3:\d+ is not valid YAML: /],
    ["steps:\n  - wait: !!js/function x", /^round\.yml:2:\d+ a tag is not allowed here/],
    ["steps:\n  - wait: *nowhere", /aliases cannot be resolved|is not valid YAML/],
  ])("%j", (text, says) => {
    expect(mistakesIn(text)).toEqual(expect.arrayContaining([expect.stringMatching(says)]));
  });

  it.each([
    ["app.js", "const app = { a: 1 };\n  b: [\n}\n", /^is it a scenario\?/],
    ["job.json", '{"file": {"name": "x"}, "strings": []}', /post-import job\.json/],
    ["round.yml", "steps: 1", /app-sim run --help/],
  ])("the hint says once what is in %s", (file, text, hint) => {
    const parsed = () => parseScenario(text, file, grantTypes);
    expect(parsed).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) }));
    expect(parsed).toThrow(expect.objectContaining({ problems: [expect.anything()] }));
  });

  it("and all of a file at once", () => {
    const text =
      "name: ''\nsteps:\n  - wait: 2\n  - deliver: a.b\n  - { expect: { call: x, statsu: 1 } }\n  - advance: 1\n";
    expect(mistakesIn(text).map((mistake) => mistake.split(" ", 2).join(" "))).toEqual([
      "round.yml:1:1 name",
      "round.yml:3:5 steps[0].wait",
      "round.yml:5:17 steps[2].expect.call",
      "round.yml:5:26 steps[2].expect.statsu",
      "round.yml:6:5 steps[3].advance",
    ]);
  });

  it("S24: aliases of aliases, and too deep a nesting, end it at once", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const below =
        level === 0
          ? "x"
          : Array(9)
              .fill(`*a${level - 1}`)
              .join(", ");
      return `a${level}: &a${level} [${below}]`;
    });
    expect(mistakesIn(levels.join("\n"))).toEqual([expect.stringMatching(/aliases cannot be resolved/)]);
    expect(mistakesIn(`steps: ${"[".repeat(20_000)}`)).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  it.each(["__proto__: { name: x }", "steps:\n  - deliver: { data: { __proto__: { x: 1 } } }", '{"__proto__": 1}'])(
    "S24: no name reaches the prototype: %j",
    (text) => {
      expect(mistakesIn(text)).toEqual([expect.stringMatching(/__proto__ is not allowed/)]);
      expect({}).not.toHaveProperty("x");
    },
  );

  it.each<[what: string, content: Uint8Array | null, code: string, says: RegExp]>([
    ["too large", Buffer.alloc(1_048_577, "#"), "file-too-large", /larger than the limit of 1 MiB/],
    ["not UTF-8", Buffer.from([0xff, 0xfe, 0x00]), "scenario-invalid", /is not UTF-8/],
    ["not there", null, "file-unreadable", /there is no such file/],
  ])("a file that is %s", async (_, content, code, says) => {
    using directory = makeTempDir();
    const file = join(directory.path, "x.yml");
    if (content !== null) writeFileSync(file, content);
    const error = await usageErrorOf(readScenario(file, grantTypes, []));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(says)]);
  });
});

it("for steps that are not a list, the hint shows how to write one", () => {
  expect(() => parseScenario("steps:\n  webhook: project.translated\n", "round.yml", [])).toThrow(
    expect.objectContaining({
      problems: [
        { path: "round.yml:1:1 steps", message: "is not a list: start each step with a dash, as in - webhook: …" },
      ],
    }),
  );
});
