import type { ChoiceReader } from "../config/choices.ts";
import type { WebhookContext } from "./changeable.ts";
import type { Receiver } from "./choose-modules.ts";
import { type DeliveryPolicy, deliver } from "./deliver.ts";
import { deliveryMaker } from "./rules/delivery-request.ts";
import { isDisbelief } from "./rules/judge-deliveries.ts";
import {
  EVERY_NAME,
  type EventAlone,
  eventsAlone,
  type LikelyCause,
  likelyCauses,
  withSignatureHeaders,
} from "./rules/likely-causes.ts";
import type { Delivery, WebhookDiagnosis } from "./webhook-result.ts";

/** A module that believed none of its deliveries, and the body of one of them. */
export interface Unbelieving {
  readonly receiver: Receiver;
  readonly json: Uint8Array;
}

/** Whether an app believed none of these deliveries, although some were right. */
export function isUnbelieved(deliveries: readonly Delivery[]): boolean {
  const right = deliveries.filter(({ tampered, result }) => tampered === null && result !== "dropped");
  return right.length > 0 && right.every(({ attempts }) => attempts.every(isDisbelief));
}

/** Why nothing was diagnosed although correct deliveries failed; empty if something was, or there was no need. */
export function undiagnosedWarning(
  deliveries: readonly Delivery[],
  diagnosis: readonly WebhookDiagnosis[],
): readonly string[] {
  const isLost = deliveries.some(({ tampered, asExpected }) => tampered === null && !asExpected);
  if (!isLost || diagnosis.length > 0) return [];
  return [
    "nothing was diagnosed: --diagnose looks for a cause only if every correct delivery is answered with 400, 401 or 403, the statuses for requests that an app does not believe",
  ];
}

/**
 * Delivers the events repeatedly, each time signed differently, until the app acknowledges one: that is the likely
 * reason why it refuses the right one. It gets each event at most once, because it refused them before.
 */
export async function diagnose(
  context: WebhookContext,
  choices: ChoiceReader,
  policy: DeliveryPolicy,
  { receiver: { app, module, url }, json }: Unbelieving,
): Promise<WebhookDiagnosis> {
  const { organization } = context.config;
  const maker = deliveryMaker({ organization, appSecret: app.appSecret, module: module.key }, choices);
  const singles = eventsAlone(maker.scheme, app.appSecret, json);
  const causes = likelyCauses(maker.scheme, app);
  const tried: WebhookDiagnosis["tried"] = [];
  /** Whether the app acknowledges it; null: unknown. */
  const isAccepted = async (cause: LikelyCause): Promise<boolean | null> => {
    const id = context.ids.next();
    const sent = cause.json ?? json;
    const request = (now: number) =>
      withSignatureHeaders(maker.make(sent, now, id), maker.scheme, cause.headers({ body: sent, now, id }));
    const [attempt] = await deliver(context, policy, { id, app, module: module.key, url, request });
    if (attempt === undefined || attempt.failure === "interrupted") return null;
    const accepted = attempt.outcome === "acknowledged";
    tried.push({ what: cause.what, accepted, status: attempt.status, exchange: attempt.exchange });
    const of = singles.length + causes.length;
    context.onProgress({ what: "deliveries of the diagnosis", done: tried.length, of });
    return accepted;
  };
  const found = (await findAlone(singles, isAccepted)) ?? (await findCause(causes, isAccepted));
  return { module: module.key, app: app.url, cause: found?.what ?? null, hint: found?.fix ?? null, tried };
}

type IsAccepted = (cause: LikelyCause) => Promise<boolean | null>;

/**
 * The first event that the app accepts when it is sent alone, once each; null: none. If it accepts only some names, the
 * names are the cause, not the batch.
 */
async function findAlone(
  singles: readonly EventAlone[],
  isAccepted: IsAccepted,
): Promise<Pick<LikelyCause, "what" | "fix"> | null> {
  const taken: EventAlone[] = [];
  const refused: EventAlone[] = [];
  for (const single of singles) {
    const accepted = await isAccepted(single);
    if (accepted === null) break;
    (accepted ? taken : refused).push(single);
  }
  const [first] = taken;
  if (first === undefined || refused.length === 0) return first ?? null;
  const names = refused.map(({ event }) => event).join(", ");
  return { what: first.what, fix: `it refuses ${names} even alone: ${EVERY_NAME}` };
}

async function findCause(causes: readonly LikelyCause[], isAccepted: IsAccepted): Promise<LikelyCause | null> {
  for (const cause of causes) {
    const accepted = await isAccepted(cause);
    if (accepted !== false) return accepted === null ? null : cause;
  }
  return null;
}
