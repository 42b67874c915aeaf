import { z } from "zod";
import type { User } from "../../config/schema.ts";
import type { LoginEvent, PlainStage } from "./login.ts";
import { currentCode, isRightCode, wrongCode } from "./totp.ts";

/** What the user enters at a stage that is not a guard. */
export const stageInputSchema = z.discriminatedUnion("stage", [
  z.strictObject({
    /** The stage that this input is for. */
    stage: z.literal("password"),
    /** Compared with the one in `users`. */
    password: z.string(),
  }),
  z.strictObject({
    /** The stage that this input is for. */
    stage: z.literal("mfa"),
    /** Six digits of the authenticator (RFC 6238); spaces are ignored. */
    code: z.string(),
  }),
  z.strictObject({
    /** The stage that this input is for. */
    stage: z.literal("device-trust"),
    /** Whether the user trusts this device. */
    trusted: z.boolean(),
  }),
  z.strictObject({
    /** The stage that this input is for. */
    stage: z.literal("remember-me"),
    /** Whether the user wants to be remembered. */
    remember: z.boolean(),
  }),
]);
export type StageInput = z.infer<typeof stageInputSchema>;

/** How an input of another shape is reported. */
export const inputWords = {
  summary: "enter(): the input is not valid",
  hint: 'give the stage and what the user enters, such as { stage: "password", password: "app-sim-password" }',
};

/**
 * What an input means for the login (interface 3.1, the stages around the guards).
 * @param now milliseconds since the epoch
 */
export function judgeInput(input: StageInput, user: User, now: number): LoginEvent {
  const { stage } = input;
  switch (input.stage) {
    case "password":
      return judged(stage, input.password === user.password, "wrong password");
    case "mfa":
      return judged(stage, isRightCode(user.totpSecret, input.code.replaceAll(/\s/g, ""), now), "wrong code");
    case "device-trust":
      return judged(stage, input.trusted, "the device is not trusted");
    case "remember-me":
      return { type: "stage-passed", stage, note: input.remember ? "remembered" : "not remembered" };
  }
}

function judged(stage: PlainStage, isRight: boolean, reason: string): LoginEvent {
  return isRight ? { type: "stage-passed", stage } : { type: "stage-failed", stage, reason };
}

/** What a user who does everything right enters. */
export function rightInput(stage: PlainStage, user: User, now: number): StageInput {
  switch (stage) {
    case "password":
      return { stage, password: user.password };
    case "mfa":
      return { stage, code: currentCode(user.totpSecret, now).code };
    case "device-trust":
      return { stage, trusted: true };
    case "remember-me":
      return { stage, remember: true };
  }
}

/** What a user enters to fail a stage on purpose; remember-me cannot fail, it is declined. */
export function wrongInput(stage: PlainStage, user: User, now: number): StageInput {
  switch (stage) {
    case "password":
      return { stage, password: `not ${user.password}` };
    case "mfa":
      return { stage, code: wrongCode(user.totpSecret, now) };
    case "device-trust":
      return { stage, trusted: false };
    case "remember-me":
      return { stage, remember: false };
  }
}
