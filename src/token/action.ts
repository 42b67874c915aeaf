import { defineAction } from "../action/define-action.ts";
import { moduleFlagFor } from "../action/flags.ts";
import { type TokenOptions, tokenOptions } from "./token-options.ts";

/** What the library can do with the tokens of modules. */
export interface TokenMethods {
  /**
   * Makes the JWT that the platform sends with a call to a guard or a post-import module (interface 5.1), to test
   * single routes. Only the manifest is requested; with `module`, and one installed app, the app need not run.
   * @throws UsageError for a module that the manifest does not declare, or if no module is named and no manifest can be
   * read
   */
  token(options?: TokenOptions): Promise<string>;
}

export const tokenActions = {
  token: defineAction<TokenMethods["token"]>({
    options: tokenOptions,
    run: async (context, options) => (await import("./make-token.ts")).makeToken(context, options),
    command: {
      name: "token",
      summary: "print a JWT like those that the platform sends to guards and post-import modules",
      brief: "print a JWT for tests of single routes",
      group: "prepare",
      hasReport: false,
      examples: [
        "app-sim token --module network",
        'curl -X POST http://127.0.0.1:3000/guards/network -H "Content-Type: application/json" -H "Authorization: Bearer $(app-sim token --module network --expired)" -d "{}"',
        "app-sim token --module network --user admin --format json",
      ],
      flagFor: moduleFlagFor,
      load: async () => (await import("./command.ts")).tokenCommand,
    },
  }),
};
