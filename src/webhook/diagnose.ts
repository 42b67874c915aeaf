import type { ChoiceReader } from "../config/choices.ts";
import type { WebhookContext } from "./changeable.ts";
import type { Receiver } from "./choose-modules.ts";
import { type DeliveryPolicy, deliver } from "./deliver.ts";
import { deliveryMaker } from "./rules/delivery-request.ts";
import { isDisbelief } from "./rules/judge-deliveries.ts";
import { type LikelyCause, likelyCauses, singleEventCause, withSignatureHeaders } from "./rules/likely-causes.ts";
import type { Delivery, WebhookDiagnosis } from "./webhook-result.ts";

/** A module that believed none of its deliveries, and the body of one. */
export interface Unbelieving {
  readonly receiver: Receiver;
  readonly json: Uint8Array;
}

/** Whether an app believed none of these deliveries, of which some were right. */
export function isUnbelieved(deliveries: readonly Delivery[]): boolean {
  const right = deliveries.filter(({ tampered, result }) => tampered === null && result !== "dropped");
  return right.length > 0 && right.every(({ attempts }) => attempts.every(isDisbelief));
}

/** Why nothing was diagnosed where right deliveries failed; empty where something was, or nothing had to be. */
export function undiagnosedWarning(
  deliveries: readonly Delivery[],
  diagnosis: readonly WebhookDiagnosis[],
): readonly string[] {
  const isLost = deliveries.some(({ tampered, asExpected }) => tampered === null && !asExpected);
  if (!isLost || diagnosis.length > 0) return [];
  return [
    "nothing was diagnosed: --diagnose looks for a cause where every right delivery is answered with 400, 401 or 403, as apps answer what they do not believe",
  ];
}

/**
 * Delivers the events again and again, each time signed otherwise, until the app acknowledges one: that is the likely
 * cause why it refuses the right one. It gets the events at most once, because it refused them before.
 */
export async function diagnose(
  context: WebhookContext,
  choices: ChoiceReader,
  policy: DeliveryPolicy,
  { receiver: { app, module, url }, json }: Unbelieving,
): Promise<WebhookDiagnosis> {
  const { organization } = context.config;
  const maker = deliveryMaker({ organization, appSecret: app.appSecret, module: module.key }, choices);
  const single = singleEventCause(maker.scheme, app.appSecret, json);
  const causes = [...(single === null ? [] : [single]), ...likelyCauses(maker.scheme, app)];
  const tried: WebhookDiagnosis["tried"] = [];
  let found: LikelyCause | null = null;
  for (const cause of causes) {
    const id = context.ids.next();
    const sent = cause.json ?? json;
    const request = (now: number) =>
      withSignatureHeaders(maker.make(sent, now, id), maker.scheme, cause.headers({ json: sent, now, id }));
    const [attempt] = await deliver(context, policy, { id, app, module: module.key, url, request });
    if (attempt === undefined || attempt.failure === "interrupted") break;
    const isAccepted = attempt.outcome === "acknowledged";
    tried.push({ what: cause.what, accepted: isAccepted, status: attempt.status, exchange: attempt.exchange });
    context.onProgress({ what: "deliveries of the diagnosis", done: tried.length, of: causes.length });
    if (isAccepted) {
      found = cause;
      break;
    }
  }
  return { module: module.key, app: app.url, cause: found?.what ?? null, hint: found?.mend ?? null, tried };
}
