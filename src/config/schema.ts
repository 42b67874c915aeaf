import { z } from "zod";
import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean, isSlipOf } from "../protocol/nearest.ts";
import { nonEmptyText } from "../protocol/non-empty-text.ts";
import { schemaParts } from "../protocol/schema-parts.ts";
import { isHttpUrl, parseUrl } from "../protocol/url.ts";
import { type Choices, choiceIds } from "./choices.ts";
import { ipAddressSchema } from "./ip-address.ts";
import { didYouMeanLanguage, languageIds } from "./language-ids.ts";
import { roles } from "./roles.ts";
import { verifySettings } from "./verify-settings.ts";

const baseUrl = z.string().refine((url) => isHttpUrl(url) && !/[?#]/.test(url), {
  error: ({ input }) =>
    portProblem(String(input)) ??
    `expected an http:// or https:// URL without user name, password, query and fragment.${withScheme(String(input))}`,
});
const fileOrUrl = z
  .string()
  .min(1, "must not be empty")
  .refine(
    (source) => !source.includes("://") || isHttpUrl(source),
    "expected a file, or an http:// or https:// URL without user name and password",
  );
const languageId = z
  .string()
  .refine((id) => languageIds.includes(id), {
    error: ({ input }) => `not a known language id.${didYouMeanLanguage(String(input))}`,
  })
  .meta({ enum: languageIds });
/** The message for a port number that is out of range; null if the port is not the problem. */
function portProblem(text: string): string | null {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(text) ?? [];
  return port !== undefined && Number(port) > 65_535 ? `its port ${port} is above 65535` : null;
}

/** The scheme and the rest of an address such as htp://localhost:3000. */
function misspeltScheme(text: string): readonly string[] | null {
  const parts = /^([a-z]{2,6}):\/\/(.+)$/.exec(text);
  return parts !== null && ["http", "https"].some((scheme) => isSlipOf(parts[1] ?? "", scheme)) ? parts : null;
}

/** People write localhost:3000, or just the port, or misspell the scheme. */
function withScheme(text: string): string {
  const [, begun = "", rest = text] = /^(https?)(?::\/*|\/+)(.+)$/.exec(text) ?? misspeltScheme(text) ?? [];
  const scheme = begun.endsWith("s") ? "https" : "http";
  if (/^(localhost|\d+\.\d+\.\d+\.\d+)$/.test(text)) return ` Did you mean "http://${text}:3000"?`;
  const url = /^:?\d+$/.test(rest) ? `${scheme}://127.0.0.1:${rest.replace(":", "")}` : `${scheme}://${rest}`;
  const isAddress = /^(:?\d+|[\w.-]+:\d+(\/.*)?)$/.test(rest);
  return isAddress && url !== text && isHttpUrl(url) ? ` Did you mean "${url}"?` : "";
}

/** People write just the path, or omit the scheme. */
function wholeAddress(text: string): string {
  const [, host] = /^((?:[\w-]+\.)+[a-z]{2,})(?:\/|$)/i.exec(text) ?? [];
  if (host !== undefined) return ` Did you mean "https://${text}"?`;
  if (parseUrl(text) !== null || !/^[\w./-]+$/.test(text)) return withScheme(text);
  return ` Write the app's own address before the path, such as http://127.0.0.1:3000/${text.replace(/^\/+/, "")}`;
}

/** Where an authorization may redirect to (RFC 6749 section 3.1.2): goes into a Location header unchanged. */
const redirectUri = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be visible ASCII: percent-encode the rest")
  .refine((uri) => parseUrl(uri) !== null && !uri.includes("#") && withScheme(uri) === "", {
    error: ({ input }) => `expected a full address without a fragment.${wholeAddress(String(input))}`,
  })
  .refine(
    (uri) => !/^(javascript|data|vbscript|file|blob|about):/i.test(uri),
    "an address with this scheme runs code or reads local data",
  );
/** Scheme, host and port in the form that browsers use. */
const originAddress = z.string().refine((origin) => isHttpUrl(origin) && parseUrl(origin)?.origin === origin, {
  error: ({ input }) => {
    const url = isHttpUrl(String(input)) ? parseUrl(String(input)) : null;
    return `expected just scheme, host and port, such as https://files.example:8443.${url === null ? "" : ` Did you mean "${url.origin}"?`}`;
  },
});
/** An origin whose host is a name as in a Host header, or an IP address. */
const publicAddress = originAddress.refine((origin) => !/[^a-z0-9_.:/[\]-]/.test(origin), {
  error: "expected one host, without wildcards: the organization's own subdomain is included",
});
/** A generated certificate, or the user's own files. */
const pemFile = (flag: string) => z.string(`expected the path of a PEM file (${flag})`).min(1, "must not be empty");
const tls = z.union(
  [
    z.boolean(),
    z.strictObject({
      /** The certificate, followed by its intermediates. */
      cert: pemFile("--cert"),
      /** The private key of the certificate. */
      key: pemFile("--key"),
    }),
  ],
  {
    error: "expected true, false, or both cert and key, each the path of a PEM file",
  },
);
/** The value of each choice is checked later, by a schema of its own. */
const partialChoices = z.partialRecord(z.enum(choiceIds), z.unknown()) as z.ZodType<Partial<Choices>, Partial<Choices>>;
/** The grammar of RFC 6749 section 3.3. */
const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "expected a name without spaces and quotes");

/** Password of users who have none configured. */
export const DEFAULT_PASSWORD = "app-sim-password";
export const DEFAULT_TOTP_SECRET = "APPSIMAPPSIMAPPSIMAPPSIMAPPSIMAP";

/** A shorter one occurs in any text by chance: hiding it would hide half of every output (hardening S27). */
const secret = z.string().min(8, {
  error: ({ input }) =>
    `expected at least 8 characters, but it has ${String(input).length}: app-sim could not hide a shorter secret in its output`,
});
const id = z.number().int().positive();

/** The users that post-import modules can be enabled for, by edition (interface 1); the widest category is the default. */
export const importAccessIn = {
  standard: { default: "project-members", categories: ["project-owner", "project-members", "selected-users"] },
  enterprise: {
    default: "organization-users",
    categories: ["organization-admins", "organization-users", "selected-users"],
  },
} as const;
const importAccessCategories = [
  ...new Set([...importAccessIn.standard.categories, ...importAccessIn.enterprise.categories]),
];
export type ImportAccess = (typeof importAccessCategories)[number];

export const appSchema = z.strictObject({
  url: baseUrl.describe("app_base_url: where the app listens"),
  manifest: fileOrUrl.optional().describe("file, relative to the config file, or URL; default {url}/manifest.json"),
  clientId: nonEmptyText.describe("client id issued when the app was registered"),
  clientSecret: secret.describe("client secret issued when the app was registered"),
  appSecret: secret.describe("secret issued at installation; keys the webhook signature"),
  name: nonEmptyText.optional().describe("name shown to users when the app asks for access; default the client id"),
  appId: nonEmptyText
    .optional()
    .describe("id of the installed app, in installation events; default the `identifier` of its manifest"),
  redirectUris: z
    .array(redirectUri)
    .describe("where users may be redirected after an authorization; compared character by character"),
  scopes: z.array(scopeName).describe("what the app may ask for; none: any scope"),
  postImportAccess: z
    .enum(importAccessCategories)
    .optional()
    .describe(
      "whose imports go to its post-import modules; default all members of the project, or users of the projects",
    ),
  postImportUsers: z.array(nonEmptyText).describe("login names of the users for selected-users"),
  fileOrigins: z
    .array(originAddress)
    .describe("origins that its modules, and the files that its answers name, may have besides its own"),
});

export const organizationSchema = z.strictObject({
  /** In bodies and payloads (interface 2.2, 2.3). */
  id,
  domain: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "expected a domain label such as acme")
    .nullable()
    .describe("the organization's name in addresses; null: it has none, and addresses omit it"),
  edition: z.enum(["enterprise", "standard"]).describe("which product the organization uses"),
});

export const userSchema = z.strictObject({
  /** `userId` of bodies (interface 2.2). */
  id,
  /** In the organization (interface 1). */
  role: z.enum(roles),
  login: nonEmptyText
    .refine(
      (login) => harmlessLine(login) === login,
      "must not contain invisible characters, or ones that change the order of others",
    )
    .describe("the name to log in with"),
  password: nonEmptyText.default(DEFAULT_PASSWORD).describe("what the password stage accepts"),
  totpSecret: z
    .string()
    .regex(/^[A-Z2-7]{16,}=*$/, "expected base32: at least 16 of the characters A-Z and 2-7")
    .default(DEFAULT_TOTP_SECRET)
    .describe("secret of the user's authenticator (RFC 6238), base32"),
});

export const projectSchema = z.strictObject({
  /** In bodies and payloads. */
  id,
  /** In addresses, and in fixtures. */
  identifier: nonEmptyText,
  /** For people. */
  name: nonEmptyText,
  sourceLanguage: languageId.describe("a language id such as en"),
  targetLanguages: z.array(languageId).min(1).describe("language ids"),
  members: z
    .array(nonEmptyText)
    .optional()
    .describe("login names of those who see it besides owner and admins; default everybody but outsiders"),
});

const everySetting = z.strictObject({
  /** The installed apps; their guards run in this order. */
  apps: z.array(appSchema).min(1),
  /** The organization that the apps are installed in. */
  organization: organizationSchema,
  /** Who can log in. */
  users: z.array(userSchema).min(1),
  /** The translated projects; fixtures name one of them. */
  projects: z.array(projectSchema).min(1),
  /** Defaults of a login. */
  login: z.strictObject({
    user: z.enum(roles).describe("who logs in: the first user with this role"),
    ipAddress: ipAddressSchema(schemaParts).describe("where the login comes from"),
    mfa: z.boolean().describe("whether the organization requires a second factor"),
    deviceTrust: z.boolean().describe("whether the organization requires a trusted device"),
    rememberMe: z.boolean().describe("whether the organization asks to remember the user"),
    interactionTimeout: z
      .number()
      .int()
      .min(1)
      .max(86_400)
      .nullable()
      .describe("seconds that a user has for one stage or page; null: as long as the page's state is valid"),
  }),
  /** How the platform authorizes apps. */
  oauth: z.strictObject({
    consent: z
      .enum(["ask", "approve", "deny"])
      .describe("who answers when an app asks for access: a person on the page, or the platform automatically"),
    scopes: z.record(scopeName, nonEmptyText).describe("what each scope allows, in words for the user"),
  }),
  /** How files are imported. */
  postImport: z.strictObject({
    user: nonEmptyText
      .nullable()
      .describe("who imports: a login name, or a role for the first user with it; null: a manager"),
  }),
  /** What `verify` needs to know about the app. */
  verify: verifySettings,
  port: z
    .number({ error: ({ code }) => (code === "invalid_type" ? "expected a whole number" : undefined) })
    .int()
    .min(0)
    .max(65_535)
    .refine(
      (port) => port !== 80,
      "addresses omit port 80, so the Host header would differ: use another port, such as 7410",
    )
    .describe("port of the platform; 0: a free one"),
  tls: tls.describe(
    "whether the platform speaks TLS, with a certificate that app-sim generates; or `{ cert, key }`, your own PEM files, relative to the config file",
  ),
  publicUrl: publicAddress
    .nullable()
    .describe(
      "where apps and browsers reach the platform, if through a proxy, a tunnel or a host name; null: where it listens",
    ),
  journal: nonEmptyText.describe("directory of the journal, relative to the config file"),
  allowPaths: z
    .array(nonEmptyText)
    .describe("further files and folders that a fixture or scenario may name; a config file cannot set it"),
  choices: partialChoices.describe("values for what the interface does not show; see `app-sim choices`"),
  profile: nonEmptyText.nullable().describe("name or file of a profile"),
});

/** Everything that can be configured, by file, environment or flag. */
export const configSchema = everySetting.superRefine(({ apps, organization, users }, context) => {
  const { categories } = importAccessIn[organization.edition];
  const logins = users.map(({ login }) => login);
  for (const [index, { postImportAccess: access, postImportUsers }] of apps.entries()) {
    if (access !== undefined && !(categories as readonly string[]).includes(access)) {
      const message = `not a category of the ${organization.edition} edition, which has ${categories.join(", ")}`;
      context.addIssue({ code: "custom", path: ["apps", index, "postImportAccess"], message });
    }
    for (const [nth, login] of postImportUsers.entries()) {
      if (logins.includes(login)) continue;
      const message = `no user has this login name.${didYouMean(login, logins)} There are ${logins.join(", ")}`;
      context.addIssue({ code: "custom", path: ["apps", index, "postImportUsers", nth], message });
    }
  }
});

export type Config = z.infer<typeof configSchema>;
/** One installation of an app: its address and its secrets. */
export type App = Config["apps"][number];
export type Organization = Config["organization"];
export type User = Config["users"][number];
export type Project = Config["projects"][number];
