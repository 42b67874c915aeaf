import { type LoginRow, loginTable } from "../../guard/rules/login-table.ts";

/** Rows of the interface's tables, and the checks that try them: ids, areas or patterns, as for `--only`. */
export interface InterfaceRow {
  readonly section: string;
  readonly row: string;
  readonly checks: readonly string[];
  /** The login row that guards' answers show, whichever check sent the request; absent: only checks show the row. */
  readonly login?: LoginRow;
}

const rowsOf = (section: string, rows: Readonly<Record<string, readonly string[]>>): InterfaceRow[] =>
  Object.entries(rows).map(([row, checks]) => ({ section, row, checks }));

const manifest = ["manifest"];
const firstCall = ["guard.token", "guard.body", "guard.request", "guard"];
const finalCall = ["guard.code", "page"];
const pages = ["page"];
const imports = ["import"];
const webhooks = ["webhook"];
const signatures = ["webhook.signature"];
const login = ["oauth"];

/** A user's return from a page with an error: the platform then makes no call, so only checks show it. */
const failedPages: Readonly<Record<string, readonly string[]>> = {
  redirect: ["page.error"],
  frame: ["page.frame.reports-error", "page.frame.error-words"],
};

/** The table of interface 3.1. */
const loginRows = loginTable.map((login): InterfaceRow => {
  const { type, state, trigger, next } = login;
  const row = `${type ?? "final verification"}: ${trigger}`;
  const failed = state === "awaiting user" && next === "access denied" ? failedPages[type ?? ""] : undefined;
  return { section: "3.1", row, ...(failed === undefined ? { checks: ["guard", "page"], login } : { checks: failed }) };
});

/** The tables of the interface, in order, without what only the platform decides and what is not shown. */
export const interfaceRows: readonly InterfaceRow[] = [
  ...rowsOf("2.1", {
    "auth-guard: key, name, description": manifest,
    "auth-guard: url": [...manifest, "guard"],
    "auth-guard: options.type, options.applyToAdmins": manifest,
    "auth-guard: options.url": [...manifest, ...pages],
    "file-post-import: key, url": [...manifest, ...imports],
    "file-post-import: signaturePatterns": manifest,
    "webhook: key, url, events": [...manifest, ...webhooks],
    "webhook: environments": manifest,
  }),
  ...rowsOf("2.2", {
    "request: userId": firstCall,
    "request: organizationId": firstCall,
    "request: ipAddress": firstCall,
    "request: moduleKey": firstCall,
    "request: code": finalCall,
    "response: success": ["guard"],
    "response: message": ["guard"],
  }),
  ...rowsOf("2.3", {
    "jobType, organization, project": imports,
    "file: content, contentUrl": imports,
    "sourceLanguage, targetLanguages": imports,
    "strings, stringsUrl": imports,
  }),
  ...rowsOf("2.4", {
    "data.strings, data.stringsUrl": imports,
    "data.preview, data.previewUrl": imports,
    "error.message": imports,
  }),
  ...rowsOf("2.5", {
    "uniqId, identifier, context": imports,
    "maxLength, isHidden, labels, attributes": imports,
    "text, hasPlurals": imports,
    translations: imports,
  }),
  ...rowsOf("2.6", {
    "body: events": webhooks,
    "X-Platform-Signature": signatures,
    "X-Platform-Id, X-Platform-Domain, X-Module-Key": webhooks,
  }),
  ...rowsOf("2.7", { "access_token, token_type, expires_in, refresh_token": login }),
  ...loginRows,
  ...rowsOf("4.1", {
    "GET /oauth/authorize": login,
    "POST /oauth/token": login,
    "GET /guard/callback": pages,
    "GET /api/v2/projects": login,
  }),
  ...rowsOf("4.2", {
    "POST auth-guard url": ["guard"],
    "GET options.url": pages,
    "POST post-import url": imports,
    "POST webhook url": webhooks,
  }),
  ...rowsOf("5.1", {
    "Authorization: Bearer JWT": ["guard.token", "import.token"],
    jwtToken: ["page"],
    "webhook signature": signatures,
    "acknowledged by 2XX": webhooks,
  }),
  ...rowsOf("5.2", {
    "authorization request: client_id, redirect_uri, response_type, scope": login,
    "authorization request: state": login,
    "authorization request: code_challenge, code_challenge_method": login,
    "token request": login,
  }),
  ...rowsOf("5.3", { "token refresh": login }),
  ...rowsOf("5.4", { "Authorization: Bearer access token": login }),
  ...rowsOf("6", {
    "one event, several events": webhooks,
    "project.translated, project.approved": webhooks,
  }),
  ...rowsOf("7", {
    "auth guard denies": ["guard"],
    "interaction fails (redirect)": pages,
    "interaction fails (frame)": pages,
    "user declines OAuth authorization": login,
    "post-import fails in the app": imports,
  }),
  ...rowsOf("8", {
    "answer time of a guard": ["guard"],
    "maximum request payload": imports,
    "maximum response payload": imports,
    "wait timeout of post-import": imports,
    "access token lifetime": login,
  }),
];
