import { z } from "zod";
import { appSchema, configSchema, organizationSchema, projectSchema, userSchema } from "./schema.ts";

/**
 * What a config file may contain: any part of the configuration, and `app` as the short form for one app. Objects are
 * merged with the defaults key by key; lists replace the default list, except that each app and project is completed
 * from the default app and project. Made when asked for, as making it slows the start of a command.
 */
export const configFileSchema = () =>
  z.strictObject({
    $schema: z.string().optional().describe("where an editor finds this schema"),
    app: appSchema.partial().optional().describe("short form of `apps` with one element"),
    apps: z.array(appSchema.partial()).min(1).optional().describe("the installed apps; their guards run in this order"),
    organization: organizationSchema.partial().optional().describe("the organization that the apps are installed in"),
    users: z.array(userSchema).min(1).optional().describe("who can log in"),
    projects: z
      .array(projectSchema.partial())
      .min(1)
      .optional()
      .describe("the translated projects; fixtures name one of them"),
    login: configSchema.shape.login.partial().optional().describe("defaults of a login"),
    oauth: configSchema.shape.oauth.partial().optional().describe("how the platform authorizes apps"),
    postImport: configSchema.shape.postImport.partial().optional().describe("how files are imported"),
    verify: configSchema.shape.verify.partial().optional().describe("what `verify` needs to know about the app"),
    port: configSchema.shape.port.optional(),
    tls: configSchema.shape.tls.optional(),
    publicUrl: configSchema.shape.publicUrl.optional(),
    journal: configSchema.shape.journal.optional(),
    allowPaths: configSchema.shape.allowPaths.optional(),
    choices: configSchema.shape.choices.optional(),
    profile: configSchema.shape.profile.optional(),
  });

/** A config file, or the configuration for `startSimulator`: any part of the configuration (docs/configuration.md). */
export type ConfigInput = z.input<ReturnType<typeof configFileSchema>>;

/** The JSON Schema of a config file, for editors. The last two keywords are VS Code's. */
export function configJsonSchema(): unknown {
  const schema = z.toJSONSchema(configFileSchema(), { io: "input", unrepresentable: "any" });
  return { ...schema, allowComments: true, allowTrailingCommas: true };
}
