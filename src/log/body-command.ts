import type { Invocation } from "../action/invocation.ts";
import { bodyBytes, bodyText } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { jsonText } from "../output/json.ts";
import { tellWarning } from "../output/tell.ts";
import { harmless, harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";

/**
 * `app-sim log ID --body`: the bytes as sent, without secrets, so that another program can read them. A terminal gets
 * harmless text instead, whatever bytes an app sends (hardening S15).
 */
export function showBody(
  invocation: Invocation,
  record: JournalRecord,
  which: "request" | "response",
  redactor: Redactor,
): number {
  const { format, out, paint } = invocation;
  const exchange = record.type === "exchange" ? redactor.exchange(record) : null;
  const [message, raw] = [exchange?.[which] ?? null, record.type === "exchange" ? record[which] : null];
  if (message === null || raw === null) {
    const what = record.type === "exchange" ? "has no answer" : "is not an exchange";
    throw new UsageError(
      "body-missing",
      `${harmlessLine(record.id)} ${what}: it has no ${which} body`,
      `\`app-sim log ${harmlessLine(record.id)}\` shows what it has`,
    );
  }
  const { body, headers } = message;
  const kept = bodyBytes(raw.body).length;
  if (kept < raw.body.size) {
    const [bytes, all] = [kept, raw.body.size].map(withCommas);
    tellWarning(invocation, `the journal kept ${bytes} of its ${all} bytes`);
  }
  if (body.base64 !== raw.body.base64) tellWarning(invocation, "secrets in it are hidden");
  if (format === "json") out(jsonText({ command: "log", body: { ...body, text: bodyText(body) } }));
  else if (Number.isFinite(paint.width)) out(`${harmless(bodyText(readableBody(headers, body)))}\n`);
  else out(bodyBytes(body));
  return 0;
}
