import type { GuardResult } from "../guard-result.ts";
import type { InteractionView, LoginView, StageView } from "../login/login-view.ts";
import { stageName } from "../pages/stepper.ts";
import type { PlainStage } from "../rules/login.ts";
import type { AuthenticatorCode } from "../rules/totp.ts";
import { type Block, bar, labelled, paragraph } from "./walk-blocks.ts";
import { lookedAt, type WalkState } from "./walk-state.ts";
import { brief, row, rowWidth, span, type Tone } from "./walk-text.ts";
import { elapsed, stageSign, timeLeft, verdict } from "./walk-words.ts";

/** What is told of the stage that is looked at. */
export interface Panel {
  readonly title: string;
  /** What the title ends in, which is never cut off. */
  readonly state: string;
  readonly tone: Tone;
  /** What stands at the other end of the title. */
  readonly aside: string;
  readonly blocks: readonly Block[];
}

/** What is shown of this very moment. */
export interface Moment {
  /** Milliseconds since the epoch, and of the monotonic clock. */
  readonly now: number;
  readonly monotonic: number;
  /** What the authenticator shows; null where it is not needed. */
  readonly code: AuthenticatorCode | null;
}

/** What there is to know, and to do, at the stage that is looked at. */
export function panelOf(state: WalkState, moment: Moment, cols: number): Panel {
  const { login, refused } = state;
  if (refused !== null) return ending(refused, cols);
  if (login === null) {
    const text = paragraph(`The manifest is read: ${elapsed(moment.monotonic - state.askedAt)}`, cols);
    return { title: "The login begins", state: "", tone: "strong", aside: "", blocks: [text] };
  }
  const stage = login.stages[lookedAt(state)];
  if (stage === undefined) return login.result === null ? nothingYet(cols) : ending(login.result, cols);
  if (state.selected !== null || login.result !== null) return about(stage, login.result !== null, cols);
  if (login.interaction !== null) return waiting(state, stage, login.interaction, moment, cols);
  return stage.stage === "guard"
    ? calling(stage, login.call, moment, cols)
    : plain(state, stage, stage.stage, moment, cols);
}

function nothingYet(cols: number): Panel {
  const text = paragraph("Access is granted when every stage is passed.", cols);
  return { title: "Access", state: ": to come", tone: "strong", aside: "", blocks: [text] };
}

const asked: Record<PlainStage, string> = {
  password: "Enter gives the right password, x a wrong one.",
  mfa: "Enter gives this code, x a wrong one.",
  "device-trust": "Is this device trusted? Enter says yes, x says no.",
  "remember-me": "Shall this device remember the user? Enter says yes, x says no: both let the user in.",
};

function plain(state: WalkState, view: StageView, stage: PlainStage, { code }: Moment, cols: number): Panel {
  const tries = `of ${state.attempts}`;
  const failures = view.failures.map((why, index) => row(span(`✗ try ${index + 1} ${tries}: `, "bad"), brief(why)));
  return {
    title: stageName(view),
    state: ": your turn",
    tone: "strong",
    aside: stage === "remember-me" ? "" : `try ${failures.length + 1} ${tries}`,
    blocks: [
      ...(stage === "mfa" && code !== null ? [authenticator(code, cols)] : []),
      ...(failures.length === 0 ? [] : [{ rows: failures }]),
      paragraph(asked[stage], cols),
      ...link(state, "The login in the browser:", "The link needs more room.", cols),
    ],
  };
}

const CODE_SECONDS = 30;

function authenticator({ code, secondsLeft }: AuthenticatorCode, cols: number): Block {
  const shown = `${code.slice(0, 3)} ${code.slice(3)}`;
  const before = row(...(cols < 50 ? [] : ["Authenticator  "]), span(shown, "strong"), "   ");
  const left = bar(secondsLeft / CODE_SECONDS, `${secondsLeft} s left`, cols - rowWidth(before), "plain");
  const [time] = left.rows;
  return { rows: [{ spans: [...before.spans, ...(time?.spans ?? [])], spoken: shown }] };
}

function calling(stage: StageView, call: LoginView["call"], { monotonic }: Moment, cols: number): Panel {
  const gone = call === null ? 0 : monotonic - call.startedAt;
  const limit = call?.limitMs ?? 0;
  const what =
    stage.exchanges.length === 0
      ? "The app is asked for the first time."
      : "The app is asked again, with the code that the user brought.";
  return {
    title: stageName(stage),
    state: ": the app is being asked",
    tone: "strong",
    aside: "",
    blocks: [
      bar(gone / limit, `${elapsed(gone)} of ${limit / 1000} s`, cols, gone > limit / 2 ? "caution" : "good"),
      paragraph(what, cols),
      ...remarks(stage, cols),
    ],
  };
}

function waiting(
  state: WalkState,
  stage: StageView,
  { type, expiresAt, page, troubles }: InteractionView,
  { now }: Moment,
  cols: number,
): Panel {
  const left = `${timeLeft(expiresAt - now)} left`;
  const how = state.link.isOpened
    ? "Your browser was told to open this link; if none came up, open it by hand:"
    : "Open this link in a browser:";
  return {
    title: stageName(stage),
    state: ": your turn",
    tone: "strong",
    aside: left,
    blocks: [
      ...link(state, how, `${left}${state.canOpen ? ", press o" : ""}`, cols),
      ...troubles.map(({ reason, hint }) => remark("! ", reason, hint, "caution", cols)),
      ...(stage.description == null ? [] : [paragraph(brief(stage.description), cols)]),
      paragraph(`The app's page (${type}): ${brief(page)}`, cols, "quiet"),
      ...warnings(stage.warnings, cols),
    ],
  };
}

/** The link whole, on rows of its own: cut off, it would be of no use. */
function link({ link: { url, trouble } }: WalkState, label: string, short: string, cols: number): Block[] {
  if (trouble !== null) return [remark("! ", trouble.reason, trouble.hint, "caution", cols)];
  if (url === null) return [];
  return [{ rows: [...paragraph(label, cols).rows, ...paragraph(url, cols, "strong").rows], instead: row(short) }];
}

function about(stage: StageView, isOver: boolean, cols: number): Panel {
  const { word, tone } = stageSign(stage, isOver);
  const facts =
    stage.module === undefined ? [] : [paragraph(`auth guard ${stage.module}, ${stage.type}`, cols, "quiet")];
  return {
    title: stageName(stage),
    state: `: ${word}`,
    tone: tone === "quiet" ? "strong" : tone,
    aside: "",
    blocks: [
      ...(stage.reason === undefined ? [] : [paragraph(brief(stage.reason), cols)]),
      ...(stage.failures.length === 0
        ? []
        : [{ rows: stage.failures.map((why) => row(span("✗ ", "bad"), brief(why))) }]),
      ...remarks(stage, cols),
      ...(stage.description == null ? [] : [paragraph(brief(stage.description), cols)]),
      ...facts,
      ...(stage.exchanges.length === 0 ? [] : [paragraph("d shows what was sent and answered.", cols, "quiet")]),
    ],
  };
}

function ending(result: GuardResult, cols: number): Panel {
  const tone = { granted: "good", denied: "bad", "needs-user": "caution" } as const;
  return {
    title: verdict(result),
    state: "",
    tone: tone[result.outcome],
    aside: "",
    blocks: [
      ...(result.outcome === "granted" ? [paragraph("Every stage was passed.", cols)] : []),
      ...(result.reason === null ? [] : [paragraph(brief(result.reason), cols)]),
      ...(result.hint === null ? [] : [labelled("hint: ", brief(result.hint), cols, "quiet")]),
      ...warnings(result.warnings, cols),
    ],
  };
}

function remarks({ hint, warnings: said }: Pick<StageView, "hint" | "warnings">, cols: number): Block[] {
  return [...(hint === undefined ? [] : [labelled("hint: ", brief(hint), cols, "quiet")]), ...warnings(said, cols)];
}

function warnings(said: readonly string[], cols: number): Block[] {
  return said.map((warning) => labelled("! warning: ", brief(warning), cols, "caution"));
}

function remark(label: string, reason: string, hint: string | null, tone: Tone, cols: number): Block {
  const more = hint === null ? [] : labelled("  hint: ", brief(hint), cols, "quiet").rows;
  return { rows: [...labelled(label, brief(reason), cols, tone).rows, ...more] };
}
