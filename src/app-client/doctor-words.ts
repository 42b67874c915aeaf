/** Where to find out what an app that says nothing wants, as the beginning of a hint. */
export const ASK_DOCTOR = "what does `app-sim doctor` say?";

/** That the doctor finds out whether this is the cause, as the end of a hint. */
export const DOCTOR_TRIES_THIS = " `app-sim doctor` tries this";

/** What finds out in which other form an app takes its secret. */
export const DOCTOR_TRIES =
  ". If the app has that one: `app-sim doctor` tries the usual mistakes, such as quotes or a line end around it, or base64";

/** A hint for whoever asks the doctor already. */
export function withoutDoctor(hint: string): string {
  return hint
    .replace(DOCTOR_TRIES, "")
    .replace(DOCTOR_TRIES_THIS, "")
    .replace(new RegExp(`${ASK_DOCTOR.replace("?", "\\?")} (\\w)`), (_, first: string) => first.toLowerCase());
}
