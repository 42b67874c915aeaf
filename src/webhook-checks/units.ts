import { createSecretKey } from "node:crypto";
import type { CheckFacts, Verdict } from "../checking/check.ts";
import { readWebhookReply } from "../checking/reply.ts";
import { type RequestParts, withSignature } from "../checking/request-parts.ts";
import { type Subject, sendTo, taggedContext } from "../checking/subject.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { skipVerdict } from "../checking/verdict.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { skippedChecks, untriedChecks, verifySubject } from "../checking/verify-subject.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { environmentOf, webhookMismatch } from "../platform/modules.ts";
import { otherSchemeHint } from "../webhook/rules/likely-causes.ts";
import { otherSchemes } from "../webhook/rules/other-schemes.ts";
import { ALONE, DIAGNOSIS } from "./answers.ts";
import { withEvents } from "./body.ts";
import { webhookChecks } from "./checks.ts";
import { deliveryCall, deliveryRequest, type InstalledWebhook } from "./delivery.ts";
import { type EventWorld, freshEvents, freshNumber } from "./fresh-events.ts";
import { recipientChecks, recipientLines } from "./recipient.ts";

/** The webhook modules of the apps. */
export function installedWebhooks({ apps }: Verification): InstalledWebhook[] {
  return apps.flatMap((installed) => installed.manifest.webhooks.map((module) => ({ installed, module })));
}

/** The units of area `webhook`: one for each module. */
export function webhookUnits(verification: Verification): Unit[] {
  return installedWebhooks(verification).map((webhook) => ({
    module: webhook.module.key,
    checks: webhookChecks.filter(verification.wants),
    run: () => verifyWebhook(verification, webhook),
  }));
}

async function verifyWebhook(verification: Verification, webhook: InstalledWebhook) {
  const subject: Subject = {
    ...webhookSubject(verification, webhook, `webhook.delivery:${webhook.module.key}`),
    sideBySide: true,
    checks: webhookChecks,
    tools: (trial) => trial,
  };
  const untried = await whyUntried(verification, webhook, subject);
  if (untried !== null) {
    return untriedWebhook(subject, webhookChecks.filter(verification.wants), untried);
  }
  const { key } = webhook.module;
  const { compares = [] } = verification.context.config.verify.webhooks[key] ?? {};
  const untold = recipientChecks.filter((check) => !compares.includes(check.compares));
  const told = { ...subject, checks: webhookChecks.filter((check) => !untold.some(({ id }) => id === check.id)) };
  return [
    ...(await verifySubject(verification, told)),
    ...skippedChecks(
      subject,
      untold.filter(verification.wants),
      "the interface does not show whether an app must do that",
      `name the headers that yours compares: ${recipientLines(key)}`,
    ),
  ];
}

/** The results of checks that cannot be tried. One is enough to say that the run proves nothing: the others are skipped. */
export function untriedWebhook(
  about: Pick<Subject, "title" | "module">,
  wanted: readonly CheckFacts[],
  verdict: Verdict,
): CheckResult[] {
  // Those that need quiet come in a second part of the run.
  const first = wanted.find(({ needsQuiet }) => needsQuiet !== true);
  const others = wanted.filter((check) => check !== first);
  return [
    ...untriedChecks(about, first === undefined ? [] : [first], verdict),
    ...untriedChecks(about, others, { ...verdict, result: "skip" }),
  ];
}

/** What the events of correct deliveries to a module can be about. */
export function eventWorld(
  { context, choices }: Pick<Verification, "context" | "choices">,
  { module }: InstalledWebhook,
): EventWorld {
  return { names: module.events, projects: context.config.projects, ids: choices.get("webhook.ids") };
}

/** A webhook module, without its checks. */
export function webhookSubject(
  verification: Pick<Verification, "context" | "choices">,
  webhook: InstalledWebhook,
  id: string,
): Omit<Subject, "checks" | "tools"> {
  const { context, choices } = verification;
  const { installed, module } = webhook;
  const world = eventWorld(verification, webhook);
  // Bodies differ in each part of a run, and in each run.
  const sent = context.journal
    .list()
    .filter((record): record is Exchange => record.type === "exchange" && record.module === module.key)
    .map(deliveredEvents);
  let made = freshNumber(world, sent, context.ids.seed());
  return {
    id,
    title: `webhook ${module.key}`,
    app: installed.app,
    module: module.key,
    call: deliveryCall(choices),
    async prepare(prepared) {
      made += 1;
      return deliveryRequest(prepared, choices, webhook, freshEvents(world, made));
    },
    read: readWebhookReply,
  };
}

/** The events of a delivery; undefined: its body has none. */
function deliveredEvents({ request }: Exchange): unknown {
  try {
    return (JSON.parse(bodyText(request.body)) as { readonly events?: unknown } | null)?.events;
  } catch {
    return undefined;
  }
}

/** The verdict on the checks of a module that cannot be tried, and how to enable them; null: they can. */
export async function whyUntried(
  verification: Verification,
  webhook: InstalledWebhook,
  subject: Omit<Subject, "checks" | "tools">,
): Promise<Verdict | null> {
  const { module } = webhook;
  const environment = environmentOf(verification.context.config.organization);
  const mismatch = webhookMismatch(module, module.events, environment);
  return mismatch === null ? diagnose(verification, webhook, subject) : skipVerdict(`the module ${mismatch}`);
}

/** More names would mean more deliveries without more insight. */
const MOST_NAMES = 10;

/**
 * Finds out why an app refuses correct deliveries, by sending deliveries with common mistakes.
 * @returns the verdict on checks that cannot be run: it expects a scheme other than the configured one; null: they can
 */
async function diagnose(
  { context, run }: Verification,
  { installed: { app }, module }: InstalledWebhook,
  subject: Omit<Subject, "checks" | "tools">,
): Promise<Verdict | null> {
  const send = (role: string, request: RequestParts) =>
    sendTo(subject, taggedContext(context, { run, subject: subject.id, id: null, role }), request);
  const isAccepted = async (role: string, change: (request: RequestParts) => RequestParts | null) => {
    const request = change(await subject.prepare(context));
    return request !== null && subject.read(await send(role, request), null).kind === "accepted";
  };
  const first = subject.read(await send("search", await subject.prepare(context)), null);
  if (first.kind !== "refused") return null;
  // An app that accepts anything expects no scheme.
  const takesAll = await isAccepted("search", (request) => withSignature(request, () => ({ respell: () => [] })));
  if (takesAll) return null;
  const { signature } = await subject.prepare(context);
  for (const { scheme, choices } of signature === undefined ? [] : otherSchemes(signature.scheme)) {
    if (await isAccepted("search", (request) => withSignature(request, () => ({ scheme })))) {
      return {
        result: "inconclusive",
        reason: `the app refuses correct deliveries, because it expects another signature scheme: ${choices.join(" and ")}`,
        ...(signature === undefined ? {} : { hint: otherSchemeHint(signature.scheme, choices) }),
      };
    }
  }
  const mistakes: Readonly<Record<string, (request: RequestParts) => RequestParts | null>> = {
    "the client secret instead of the app secret": (request) =>
      withSignature(request, () => ({ key: createSecretKey(app.clientSecret, "utf8") })),
    "a body as Python's json.dumps writes it, so it hashes a re-serialized body": (request) =>
      withPythonSpelling(request),
    ...Object.fromEntries(
      [...new Set(module.events)]
        .slice(0, MOST_NAMES)
        .map((event) => [
          `${ALONE}${event}`,
          (request) => withEvents(request, ([first = {}]) => [{ ...first, event }]),
        ]),
    ),
  };
  for (const [what, change] of Object.entries(mistakes)) await isAccepted(`${DIAGNOSIS}${what}`, change);
  return null;
}

function withPythonSpelling(request: RequestParts): RequestParts | null {
  const { body } = request;
  if (body === null || !("json" in body)) return null;
  // No text of the events holds one of these marks.
  const text = JSON.stringify(body.json).replaceAll(":", ": ").replaceAll(",", ", ");
  return { ...request, body: { bytes: Buffer.from(text) } };
}
