import type { CommandCall } from "../action/command-call.ts";
import { decodeJwt } from "../journal/credentials.ts";
import { exitCodes } from "../output/exit-code.ts";
import type { TokenMethods } from "./action.ts";
import type { TokenOptions } from "./token-options.ts";

/** `app-sim token` */
export function tokenCommand({
  options,
  onSimulator,
}: CommandCall<TokenMethods, unknown, TokenOptions>): Promise<number> {
  return onSimulator(
    async (simulator) => {
      const jwt = await simulator.token(options);
      return { command: "token", jwt, ...decodeJwt(jwt), warnings: [] };
    },
    { text: ({ jwt }) => [jwt], exitCode: () => exitCodes.asExpected },
  );
}
