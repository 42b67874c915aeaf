import { languageIds } from "./language-ids.ts";
import { type Config, DEFAULT_PASSWORD, DEFAULT_TOTP_SECRET, type User } from "./schema.ts";

/** The platform's port on the command line: fixed, because apps are configured with addresses that contain it. */
export const DEFAULT_PORT = 7410;

const sourceLanguage = "en";
const firstTargets = ["uk", "de", "pl", "ar", "ja"];
const otherTargets = languageIds.filter((id) => id !== sourceLanguage && !firstTargets.includes(id));

/** The defaults: an enterprise organization with one project and one installed app. */
export const defaultConfig: Config = {
  apps: [
    {
      url: "http://127.0.0.1:3000",
      clientId: "app-sim-client",
      clientSecret: "app-sim-client-secret-long-enough-for-HS256",
      appSecret: "app-sim-app-secret",
      redirectUris: [],
      scopes: [],
      postImportUsers: [],
      fileOrigins: [],
    },
  ],
  organization: { id: 200_000_001, domain: "acme", edition: "enterprise" },
  users: [
    user(101, "owner", "olena.owner"),
    user(102, "admin", "adam.admin"),
    user(103, "manager", "maria.manager"),
    user(104, "member", "milan.member"),
    user(105, "outsider", "otto.outsider"),
  ],
  projects: [
    {
      id: 501,
      identifier: "mobile-app",
      name: "Mobile app",
      sourceLanguage,
      targetLanguages: [...firstTargets, ...otherTargets],
    },
  ],
  // An address from the documentation range (RFC 5737), which no app has a reason to treat specially.
  login: {
    user: "member",
    ipAddress: "203.0.113.10",
    mfa: false,
    deviceTrust: false,
    rememberMe: false,
    interactionTimeout: null,
  },
  oauth: { consent: "ask", scopes: { project: "See the projects that you can see" } },
  postImport: { user: null },
  verify: { guards: {}, webhooks: {}, oauth: null, fixtures: [], known: [] },
  port: DEFAULT_PORT,
  tls: false,
  publicUrl: null,
  journal: ".app-sim",
  allowPaths: [],
  choices: {},
  profile: null,
};

function user(id: number, role: User["role"], login: string): User {
  return { id, role, login, password: DEFAULT_PASSWORD, totpSecret: DEFAULT_TOTP_SECRET };
}
