import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import type { Exchange } from "../../src/index.ts";
import { createJournal, recordBody } from "../../src/journal/journal.ts";
import { isMeant } from "../../src/platform/exchange-matcher.ts";
import { createWaitFor, NothingCameError } from "../../src/platform/wait-for.ts";
import { steeredClock } from "../rig/clock.ts";
import { callApi, startPlatform } from "../rig/oauth.ts";
import { rawControls } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";

const nobody = { headers: [], body: recordBody(new Uint8Array()) };

function exchange(id: string, changes: Partial<Exchange> & { readonly url?: string; readonly method?: string } = {}) {
  const { url = "http://127.0.0.1:7410/api/v2/projects", method = "GET", ...others } = changes;
  const record: Exchange = {
    type: "exchange",
    id,
    purpose: "api",
    module: null,
    startedAt: "2031-05-06T07:08:09.000Z",
    timings: { headersMs: 1, totalMs: 1 },
    request: { method, url, ...nobody },
    response: { status: 200, ...nobody },
    outcome: { kind: "answered" },
    ...others,
  };
  return record;
}

/** Waits on a journal, with a clock that the test moves. */
function waiting(signal?: AbortSignal) {
  const journal = createJournal();
  const clock = steeredClock();
  return { journal, clock, waitFor: createWaitFor({ journal, clock, signal }) };
}

async function nothingCame(wait: Promise<unknown>): Promise<NothingCameError> {
  const error = await wait.catch((cause: unknown) => cause);
  if (error instanceof NothingCameError) return error;
  throw new Error(`not what was expected: ${JSON.stringify(error)}`);
}

describe("waitFor()", () => {
  it("finds what has already arrived, oldest first, and returns each exchange once", async () => {
    const { journal, clock, waitFor } = waiting();
    for (const id of ["a", "b"]) journal.append(exchange(id));
    journal.append(exchange("t", { purpose: "token" }));
    expect((await waitFor("api")).id).toBe("a");
    expect((await waitFor("token")).id).toBe("t");
    expect((await waitFor({ status: 200 })).id).toBe("b");
    const late = waitFor("api");
    clock.advance(10_000);
    expect((await nothingCame(late)).message).toMatch(/^waitFor\(\): .*purpose api did not come within 10000 ms/);
  });

  it("otherwise waits for the next; of two waits the first gets it, and the second the one after it", async () => {
    const { journal, waitFor } = waiting();
    const waits = [waitFor("api"), waitFor((each) => each.purpose === "api")];
    for (const record of [exchange("t", { purpose: "token" }), exchange("a"), exchange("b"), exchange("c")])
      journal.append(record);
    expect((await Promise.all(waits)).map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await waitFor("api")).id).toBe("c");
  });

  it("says what it waited for, and what came instead: method, path and status, without secrets", async () => {
    const { journal, clock, waitFor } = waiting();
    for (let index = 0; index < 7; index++) {
      journal.append(exchange(`${index}`, { url: `http://127.0.0.1:7410/n${index}\u001b[31m?code=secret` }));
    }
    journal.append(exchange("x", { purpose: "webhook", outcome: { kind: "interrupted" }, response: null }));
    const wait = waitFor({ purpose: "token", status: 200 }, { timeoutMs: 50 });
    clock.advance(50);
    const { message, why } = await nothingCame(wait);
    expect(why).toBe("timed-out");
    expect(message).toContain('an exchange with {"purpose":"token","status":200} did not come within 50 ms');
    expect(message.match(/\/n\d/g)).toEqual(["/n3", "/n4", "/n5", "/n6"]);
    expect(message).toContain("GET /api/v2/projects, interrupted");
    expect(message).toMatch(/GET \/n6[^;]*, answered with 200;/);
    expect(message).not.toContain("secret");
    expect(rawControls(message)).toEqual([]);
  });

  it("with a time of zero, looks only at what has arrived", async () => {
    const journal = createJournal();
    const waitFor = createWaitFor({ journal, clock: systemClock, signal: undefined });
    expect((await nothingCame(waitFor("api", { timeoutMs: 0 }))).message).toMatch(/nothing else came either$/);
    journal.append(exchange("a"));
    expect((await waitFor("api", { timeoutMs: 0 })).id).toBe("a");
  });

  it("rejects with what a function throws, whenever it does", async () => {
    const { journal, waitFor } = waiting();
    const broken = () => {
      throw new RangeError("mine");
    };
    const later = waitFor(broken);
    journal.append(exchange("a"));
    await expect(later).rejects.toThrow(RangeError);
    await expect(waitFor(broken)).rejects.toThrow(RangeError);
    expect((await waitFor("api")).id).toBe("a");
  });

  it("leaves no timer and no listener behind", async () => {
    const ended: boolean[] = [];
    const journal = createJournal();
    const pause = async (_: number, signal: AbortSignal | undefined) => {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      ended.push(true);
    };
    const wait = createWaitFor({ journal, clock: { pause }, signal: undefined })("api");
    journal.append(exchange("a"));
    await wait;
    await Promise.resolve();
    expect(ended).toEqual([true]);
  });

  it("ends with the signal", async () => {
    const stop = new AbortController();
    const { waitFor } = waiting(stop.signal);
    const wait = waitFor("api");
    stop.abort();
    expect(await nothingCame(wait)).toMatchObject({
      why: "interrupted",
      message: expect.stringContaining("interrupt"),
    });
  });

  it.each<[what: unknown, options: object | undefined, says: string]>([
    ["tokn", undefined, 'Did you mean "token"?'],
    [{ purpose: "apy" }, undefined, 'Did you mean "api"?'],
    [{ statsu: 200 }, undefined, 'Did you mean "status"?'],
    [{ path: "api/v2" }, undefined, "a path without a query"],
    [{ path: "/api?limit=1" }, undefined, "a path without a query"],
    [{ path: "/**/projects" }, undefined, "nothing can follow it"],
    [5, undefined, "expected an object"],
    ["api", { timeout: 5 }, 'Did you mean "timeoutMs"?'],
    ["api", { timeoutMs: -1 }, "at least 0"],
  ])("a mistake is told: %j, %j", async (what, options, says) => {
    const { waitFor } = waiting();
    expect((await usageErrorOf(waitFor(what as "api", options))).message).toContain(says);
  });

  test("for any order of exchanges and waits, each wait gets a different one, and the oldest that is left", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("api", "token", "wait api", "wait token"), { maxLength: 30 }),
        async (acts) => {
          const { journal, clock, waitFor } = waiting();
          const given: Promise<string>[] = [];
          const model: string[] = [];
          const left: Record<string, string[]> = { api: [], token: [] };
          const open: Record<string, number[]> = { api: [], token: [] };
          for (const [index, act] of acts.entries()) {
            const purpose = act.replace("wait ", "") as "api" | "token";
            if (act.startsWith("wait")) {
              given.push(
                waitFor(purpose).then(
                  ({ id }) => id,
                  () => "nothing",
                ),
              );
              await Promise.resolve();
              const next = left[purpose]?.shift();
              if (next === undefined) open[purpose]?.push(model.length);
              model.push(next ?? "nothing");
            } else {
              journal.append(exchange(`${index}`, { purpose }));
              const first = open[purpose]?.shift();
              if (first === undefined) left[purpose]?.push(`${index}`);
              else model[first] = `${index}`;
            }
          }
          clock.advance(10_000);
          expect(await Promise.all(given)).toEqual(model);
        },
      ),
    );
  });
});

describe("a matcher", () => {
  const came = exchange("a", {
    module: "hook",
    method: "POST",
    url: "http://127.0.0.1:7410/api/v2/projects/5?limit=1",
  });

  it.each<[matcher: Parameters<typeof isMeant>[1], isWanted: boolean]>([
    [{}, true],
    [{ path: "/api/v2/projects/5" }, true],
    [{ path: "/api/v2/projects" }, false],
    [{ path: "/api/v2/projects/*" }, true],
    [{ path: "/api/*" }, false],
    [{ path: "/*/*/*/*" }, true],
    [{ path: "/api/**" }, true],
    [{ path: "/**" }, true],
    [{ path: "/api/v2/projects/5/**" }, true],
    [{ path: "/api/v2/projects/5/6/**" }, false],
    [{ path: "/api/v2/projects/5/" }, false],
    [{ method: "post" }, true],
    [{ method: "GET" }, false],
    [{ purpose: "api", status: 200, module: "hook" }, true],
    [{ purpose: "token" }, false],
    [{ status: 401 }, false],
    [{ module: "other" }, false],
  ])("%j: %j", (matcher, isWanted) => {
    expect(isMeant(came, matcher)).toBe(isWanted);
  });

  it("matches a path as it is sent, and a request target that is not a path literally", () => {
    const written = exchange("b", { url: "http://127.0.0.1:7410/f%C3%BCr/%20" });
    expect(isMeant(written, { path: "/für/%20" })).toBe(true);
    const star = exchange("c", { url: "http://127.0.0.1:7410*" });
    expect([isMeant(star, { path: "/**" }), isMeant(star, {})]).toEqual([false, true]);
  });
});

describe("sim.waitFor()", () => {
  it("sees the app's requests to the platform, before and after", async () => {
    await using sim = await startPlatform();
    await callApi(sim, null);
    expect((await sim.waitFor({ purpose: "api", path: "/api/v2/projects" })).response?.status).toBe(401);
    const wait = sim.waitFor({ path: "/api/*/projects", method: "GET" });
    await callApi(sim, "nonsense");
    expect((await wait).purpose).toBe("api");
  });

  it("ends when the simulator is closed, and is refused afterwards", async () => {
    const sim = await startPlatform({ listen: false });
    const wait = nothingCame(sim.waitFor("api"));
    await sim.close();
    expect(await wait).toMatchObject({ why: "interrupted" });
    expect((await usageErrorOf(sim.waitFor("api"))).code).toBe("closed");
  });
});
