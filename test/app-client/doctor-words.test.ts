import { expect, it } from "vitest";
import { ASK_DOCTOR, DOCTOR_TRIES, DOCTOR_TRIES_THIS, withoutDoctor } from "../../src/app-client/doctor-words.ts";

it.each([
  [`${ASK_DOCTOR} Does the app verify the JWT?`, "does the app verify the JWT?"],
  [`If it did not believe it: ${ASK_DOCTOR} Does the app?`, "If it did not believe it: does the app?"],
  [`is it the secret${DOCTOR_TRIES}`, "is it the secret"],
  [`does the clock agree?${DOCTOR_TRIES_THIS}`, "does the clock agree?"],
  ["look in the app's own log", "look in the app's own log"],
])("the doctor's own hints do not send users to the doctor: %s", (hint, left) => {
  expect(withoutDoctor(hint)).toBe(left);
});
