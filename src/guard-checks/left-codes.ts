import { withMembers } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";

/** Codes that developers write into an app to try it out, and forget. */
export const leftCodes = ["test", "debug", "demo", "admin", "letmein", "1234", "0000", "123456", "000000"];

/** The check of codes that no page has issued, and that everybody knows. */
export const leftCodesCheck = seriesCheck({
  id: "guard.final.code.left-in",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard refuses codes that developers use for testing, such as test or 000000",
  why: "A code that is written into the app is valid for every user, and attackers try such codes first.",
  fix: "Let users in only with codes that the page has issued, and create those of tests in the tests.",
  right: "refused",
  requests: async (prepare) => {
    const request = await prepare();
    return Object.fromEntries(leftCodes.map((code) => [code, withMembers(request, { code })]));
  },
});
