import { describe, expect, it } from "vitest";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { always, guardStages, onlyCall, startSimulation } from "../rig/simulation.ts";

// Interface 2.2: auth-guard verification request and response.

const serves = manifestOf({ guards: [guardEntry("office")] });

describe("2.2 request", () => {
  it.each([
    ["IPv4", "192.0.2.44"],
    ["IPv6", "2001:db8::8a2e:370:7334"],
  ])("holds exactly userId, organizationId, ipAddress (%s) and moduleKey", async (_, ipAddress) => {
    await using run = await startSimulation({ serves, answer: always({ success: true }), organization: { id: 77 } });
    expect((await run.sim.guard({ user: "manager", ipAddress })).ipAddress).toBe(ipAddress);
    expect(onlyCall(run.app).json()).toEqual({ userId: 103, organizationId: 77, ipAddress, moduleKey: "office" });
  });

  it.each(["direct", "redirect", "frame"] as const)("has no code on the first call of type %s", async (type) => {
    const guards = [guardEntry("office", { type, url: "/page" })];
    await using run = await startSimulation({ serves: manifestOf({ guards }), answer: always({ success: true }) });
    await run.sim.guard();
    expect(Object.keys(onlyCall(run.app).json() as object)).not.toContain("code");
  });
});

describe("2.2 response", () => {
  it.each([
    [{ success: true }, "granted", null],
    [{ success: true, message: "Welcome", more: [1] }, "granted", null],
    [{ success: false, message: "Use the VPN." }, "denied", "Use the VPN."],
    [{ success: false, message: null }, "denied", "the app denied access without a message"],
    [{ success: false, message: " " }, "denied", "the app denied access with an empty message"],
    [{ success: false }, "denied", "the app denied access without a message"],
  ])("%j: %s", async (answer, outcome, reason) => {
    await using run = await startSimulation({ serves, answer: always(answer) });
    const result = await run.sim.guard();
    expect(result).toMatchObject({ outcome, reason, deniedBy: outcome === "denied" ? "office" : null });
    expect(guardStages(result)).toMatchObject([{ result: outcome === "denied" ? "denied" : "passed" }]);
  });

  it.each([
    [
      { success: false, error: "Use the VPN." },
      ['in its answer, "error" is not part of the interface, so it is ignored. Did you mean "message"?'],
    ],
    [{ success: false, reason: { text: "Use the VPN." } }, [expect.stringContaining('"reason" is not part')]],
    [{ success: false, message: "Use the VPN.", error: "E7" }, []],
    [{ success: true, error: null }, []],
  ])("%j: the text of a denial is its message", async (answer, warnings) => {
    await using run = await startSimulation({ serves, answer: always(answer) });
    const [stage] = guardStages(await run.sim.guard());
    expect(stage?.warnings ?? []).toEqual(warnings);
  });
});
