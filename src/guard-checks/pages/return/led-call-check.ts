import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { withJsonTexts } from "../call-json.ts";
import { withFields } from "../form/form.ts";
import { addressesAnswered } from "../walk/answer.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { isLedAway, ledAway } from "./lead-away-check.ts";

const LED = "led";

/** The check of the call that tells the scripts of a redirect page where to send the user. */
export const ledCallCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.lead-away",
  area: "page",
  title: "No value of the page's own call changes where the user is sent",
  section: "4.2",
  severity: "must",
  why: "Anybody can send the call with other values. If one of them decides where the code goes, the code goes to whoever chose it.",
  fix: "Build the URL only from the configured {auth_url} and the domain in the verified token: take no address and no organization from the call.",
  run: async (tools) => {
    const right = await tools.prepare();
    const led = ledAway(tools.platform);
    const changed = withJsonTexts(right, led) ?? withFields(right, led);
    if (changed !== null) await tools.send(LED, changed);
  },
  judge: ({ steps: [step] }) => {
    if (step === undefined) return skipVerdict("the call has no value that says where its user goes");
    const away = codeAddressesIn(step.exchange).find(isLedAway);
    return away === undefined ? PASSED : faulty(ledCallCheck, "the code was sent where a value of the call said");
  },
};

/** The addresses in an answer that have a code. */
function codeAddressesIn(exchange: Exchange): URL[] {
  return addressesAnswered(exchange).filter(({ searchParams }) => searchParams.has("code"));
}
