import { SEARCH } from "../checking/evidence.ts";
import type { Reply } from "../checking/reply.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { sendTo, taggedContext } from "../checking/subject.ts";
import type { Verification } from "../checking/unit.ts";
import type { Config } from "../config/schema.ts";
import type { InstalledWebhook } from "../webhook-checks/delivery.ts";
import { recipientChecks } from "../webhook-checks/recipient.ts";
import { webhookSubject } from "../webhook-checks/units.ts";

/**
 * Finds out which headers of a delivery the app compares with its own.
 * @returns the webhook's settings; null: it compares none
 */
export async function proposeWebhook(
  search: Pick<Verification, "context" | "choices" | "run">,
  webhook: InstalledWebhook,
): Promise<Config["verify"]["webhooks"][string] | null> {
  const { context, run } = search;
  const { app } = webhook.installed;
  const subject = webhookSubject(search, webhook, `webhook.delivery:${webhook.module.key}`);
  const tagged = taggedContext(context, { run, subject: subject.id, id: null, role: SEARCH });
  const answerTo = async (request: RequestParts): Promise<Reply["kind"]> =>
    subject.read(await sendTo(subject, tagged, request), null).kind;
  const isAccepting = async () => (await answerTo(await subject.prepare(tagged))) === "accepted";
  const compares: (typeof recipientChecks)[number]["compares"][] = [];
  for (const check of recipientChecks) {
    const other = check.twin(await subject.prepare(tagged), app, "");
    if (other === null || !(await isAccepting())) continue;
    if ((await answerTo(other)) === "refused" && (await isAccepting())) compares.push(check.compares);
  }
  return compares.length === 0 ? null : { compares };
}
