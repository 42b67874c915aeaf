import { exchangeLines, runWithSimulator } from "../command-line/session.ts";
import { secretsOf } from "../config/secrets.ts";
import type { RunningSimulator } from "../index.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import type { Invocation } from "../output/invocation.ts";
import type { ExchangeLines } from "../output/text.ts";
import type { OAuthFlags } from "./oauth-flags.ts";
import { exchangeLine, oauthText } from "./oauth-text.ts";

/** `app-sim oauth --start URL` */
export function oauth(invocation: Invocation, { start, deny, use, refresh, strict }: OAuthFlags): Promise<number> {
  let lines: ExchangeLines = () => [];
  return runWithSimulator(
    invocation,
    async (simulator, { loaded }) => {
      const given = use === undefined ? {} : { use };
      const options = { start, refresh, deny: deny === true, strict: strict === true, ...given };
      const result = await simulator.oauthLogin(options);
      lines = oauthExchangeLines(simulator, secretsOf(loaded.config), invocation);
      return result;
    },
    (result) => oauthText(result, lines, invocation.paint),
  );
}

/** Shows an exchange of a login by OAuth, without what was issued in it. */
export function oauthExchangeLines(
  simulator: RunningSimulator,
  secrets: readonly string[],
  invocation: Invocation,
): ExchangeLines {
  const records = simulator.journal.list();
  const issued = records.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  const hidden = [...secrets, ...issued.map(({ value }) => value)];
  return exchangeLines(simulator, hidden, invocation, exchangeLine);
}
