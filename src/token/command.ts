import type { CommandCall } from "../action/command-call.ts";
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
      const [header, claims] = jwt.split(".").map(partOf);
      return { command: "token", jwt, header, claims, warnings: [] };
    },
    { text: ({ jwt }) => [jwt], exitCode: () => exitCodes.asExpected },
  );
}

/** A part of a JWT (RFC 7519); the signature is none that could be read. */
function partOf(part: string, index: number): unknown {
  return index < 2 ? JSON.parse(Buffer.from(part, "base64url").toString()) : null;
}
