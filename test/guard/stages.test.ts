import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { User } from "../../src/config/schema.ts";
import type { PlainStage } from "../../src/guard/rules/login.ts";
import { judgeInput, rightInput, type StageInput, wrongInput } from "../../src/guard/rules/stages.ts";
import { currentCode } from "../../src/guard/rules/totp.ts";
import { failed, passed } from "./login-steps.ts";

const user: User = {
  id: 104,
  role: "member",
  login: "milan.member",
  password: "correct horse",
  totpSecret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
};
const now = Date.UTC(2031, 4, 6, 7, 8, 9);
const { code } = currentCode(user.totpSecret, now);
const stages: PlainStage[] = ["password", "mfa", "device-trust", "remember-me"];

describe("the input of a user", () => {
  test.each<[StageInput, ReturnType<typeof passed>]>([
    [{ stage: "password", password: "correct horse" }, passed("password")],
    [{ stage: "password", password: "correct horse " }, failed("password", "wrong password")],
    [{ stage: "password", password: "Correct horse" }, failed("password", "wrong password")],
    [{ stage: "password", password: "" }, failed("password", "wrong password")],
    [{ stage: "mfa", code }, passed("mfa")],
    // Authenticators show the code in groups, and people copy it so.
    [{ stage: "mfa", code: ` ${code.slice(0, 3)} ${code.slice(3)}\n` }, passed("mfa")],
    [{ stage: "mfa", code: code.slice(1) }, failed("mfa", "wrong code")],
    [{ stage: "mfa", code: "" }, failed("mfa", "wrong code")],
    [{ stage: "device-trust", trusted: true }, passed("device-trust")],
    [{ stage: "device-trust", trusted: false }, failed("device-trust", "the device is not trusted")],
  ])("%j is judged as %j", (input, event) => {
    expect(judgeInput(input, user, now)).toEqual(event);
  });

  test.each([
    [true, "remembered"],
    [false, "not remembered"],
  ])("remember-me is passed either way, %s as %j", (remember, note) => {
    expect(judgeInput({ stage: "remember-me", remember }, user, now)).toEqual({ ...passed("remember-me"), note });
  });

  test("of a second factor is right only for a while", () => {
    const later = judgeInput({ stage: "mfa", code }, user, now + 90_000);
    expect(later).toEqual(failed("mfa", "wrong code"));
  });

  test("R36: is judged, whatever it is, for its own stage", () => {
    const text = fc.string({ unit: "binary" });
    const inputs: fc.Arbitrary<StageInput> = fc.oneof(
      fc.record({ stage: fc.constant("password" as const), password: text }),
      fc.record({ stage: fc.constant("mfa" as const), code: text }),
    );
    fc.assert(
      fc.property(inputs, (input) => {
        const expected = input.stage === "password" && input.password === user.password ? "passed" : "failed";
        expect(judgeInput(input, user, now)).toMatchObject({ type: `stage-${expected}`, stage: input.stage });
      }),
    );
  });
});

describe("a simulated user", () => {
  const users = fc.record({
    id: fc.nat(),
    role: fc.constant("member" as const),
    login: fc.string(),
    password: fc.string({ minLength: 1 }),
    totpSecret: fc.stringMatching(/^[A-Z2-7]{16,40}$/),
  });
  const times = fc.nat({ max: Date.UTC(2100, 0) });

  test("does everything right and passes every stage", () => {
    fc.assert(
      fc.property(users, times, fc.constantFrom(...stages), (someone, at, stage) => {
        expect(judgeInput(rightInput(stage, someone, at), someone, at)).toMatchObject({ type: "stage-passed", stage });
      }),
    );
  });

  test("does everything right and lets the organization remember them", () => {
    expect(rightInput("remember-me", user, 0)).toEqual({ stage: "remember-me", remember: true });
  });

  test("fails every stage on purpose, except remember-me, which is declined", () => {
    fc.assert(
      fc.property(users, times, fc.constantFrom(...stages), (someone, at, stage) => {
        const event = judgeInput(wrongInput(stage, someone, at), someone, at);
        if (stage === "remember-me") expect(event).toEqual({ ...passed(stage), note: "not remembered" });
        else expect(event).toMatchObject({ type: "stage-failed", stage });
      }),
    );
  });
});
