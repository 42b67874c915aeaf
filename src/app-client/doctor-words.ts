/** Where to find out what an app expects if its answer gives no reason; begins a hint. */
export const ASK_DOCTOR = "`app-sim doctor` tries the usual mistakes.";

/** The same; ends a hint. */
export const DOCTOR_TRIES_ALL = "; `app-sim doctor` tries the usual mistakes";

/** Where the reason is if an app refuses a JWT without one. */
export const LOG_THE_VERIFIER = "The answer gives no reason: log the error of the app's JWT verifier.";

/** The doctor finds out whether this is the cause; ends a hint. */
export const DOCTOR_TRIES_THIS = " `app-sim doctor` tries this";

/** How to find out in what altered form an app uses its secret; ends a hint. */
export const DOCTOR_TRIES =
  ". If the app does so: `app-sim doctor` tries the usual mistakes, such as quotes around it, a line ending after it, or base64";

/** A hint for a reader who already uses the doctor. */
export function withoutDoctor(hint: string): string {
  return hint
    .replace(DOCTOR_TRIES, "")
    .replace(DOCTOR_TRIES_THIS, "")
    .replace(new RegExp(`${ASK_DOCTOR.replace(".", "\\.")} (\\w)`), (_, first: string) => first.toLowerCase());
}
