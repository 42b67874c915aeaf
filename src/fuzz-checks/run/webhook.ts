import type { Evidence } from "../../checking/check.ts";
import type { Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { bodyText } from "../../journal/journal.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { InstalledWebhook } from "../../webhook-checks/delivery.ts";
import { eventWorld, untriedWebhook, webhookSubject, whyUntried } from "../../webhook-checks/units.ts";
import { randomDeliveryChecks } from "../cases/deliveries.ts";
import { randomDeliveries } from "../checks.ts";
import type { FoundCase } from "../found.ts";
import { exchangeIn } from "../random-check.ts";
import { verifyRandomly } from "./random-subject.ts";

/** Sends random deliveries to a webhook module. */
export async function fuzzWebhook(verification: Verification, webhook: InstalledWebhook): Promise<CheckResult[]> {
  const { key } = webhook.module;
  const subject = webhookSubject(verification, webhook, `webhook.fuzz:${key}`);
  const untried = await whyUntried(verification, webhook, subject);
  const wanted = randomDeliveryChecks.filter(verification.wants);
  if (untried !== null) return untriedWebhook(subject, wanted, untried);
  const world = eventWorld(verification, webhook);
  return verifyRandomly(verification, {
    subject,
    checks: randomDeliveryChecks,
    tools: (trial) => ({ ...trial, world }),
    describe: (check, smallest) => foundDelivery(check.id, key, smallest),
  });
}

const SHOWN_CHARACTERS = 400;

function foundDelivery(id: string, module: string, smallest: Evidence): FoundCase {
  const isChanged = id === randomDeliveries.changed.id;
  const right = exchangeIn(smallest, isChanged ? "before" : "delivery");
  const text = right === null ? "" : bodyText(right.request.body);
  const body = bodyIn(text);
  const sent = isChanged ? `${text} with ${changedByte(smallest)}` : text;
  const count = body?.events.length ?? 0;
  return {
    shown: clip(harmlessLine(count > 2 ? `${count} events` : sent), SHOWN_CHARACTERS),
    name: `${id}-${module}`,
    files: body === null ? {} : { "": body },
    commands: ([file]) => {
      if (file === undefined) return [];
      const flags = [...(count > 1 ? [`--batch ${count}`] : []), ...(isChanged ? ["--tamper body"] : [])];
      // In the spelling that was sent.
      return [["webhook", "--data", file, "--no-respell", ...flags].join(" ")];
    },
  };
}

function bodyIn(text: string): { readonly events: readonly unknown[] } | null {
  try {
    return JSON.parse(text) as { readonly events: readonly unknown[] };
  } catch {
    return null;
  }
}

/** The changed byte of a delivery, in words. */
function changedByte(smallest: Evidence): string {
  const [before = [], after = []] = ["before", "changed"].map((role) => {
    const exchange = exchangeIn(smallest, role);
    return exchange === null ? [] : [...Buffer.from(exchange.request.body.base64, "base64")];
  });
  const at = before.findIndex((byte, index) => byte !== after[index]);
  const hex = (byte: number | undefined) => `0x${(byte ?? 0).toString(16).padStart(2, "0")}`;
  return `byte ${at + 1} changed from ${hex(before[at])} to ${hex(after[at])}`;
}
