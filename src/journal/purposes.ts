/**
 * Why the platform called the app; `import-file`: a file whose address is in a job or its answer (interface 2.3, 2.4).
 */
const callPurposes = [
  "manifest",
  "guard",
  "guard-page",
  "post-import",
  "import-file",
  "webhook",
  "install",
  "uninstall",
  "visit",
] as const;

/** Requests of the app, or of a user's browser, that the platform decides about (interface 4.1). */
const incomingPurposes = ["authorize", "consent", "token", "revoke", "introspect", "api"] as const;
export type IncomingPurpose = (typeof incomingPurposes)[number];

/** `file`: the app fetched a file from the platform (interface 2.3). */
export const exchangePurposes = [...callPurposes, ...incomingPurposes, "file"] as const;

/** Whether the platform had to make a decision, which then has a record of its own. */
export function isIncoming(purpose: string): purpose is IncomingPurpose {
  return (incomingPurposes as readonly string[]).includes(purpose);
}

/** Whether the user's browser made the request, on a redirect of the app. */
export function isOfBrowser(purpose: string): boolean {
  return purpose === "authorize" || purpose === "consent";
}
