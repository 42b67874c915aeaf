import { Box } from "ink";
import type { ReactElement } from "react";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { GuardResult } from "../guard-result.ts";
import type { InteractionView, StageView } from "../login/login-view.ts";
import { stageName } from "../login/login-view.ts";
import type { PlainStage } from "../rules/login.ts";
import type { AuthenticatorCode } from "../rules/totp.ts";
import { accessSigns, stageSign } from "./walk-stages.tsx";
import { shownStage, type WalkPrompt, type WalkState } from "./walk-state.ts";
import { bar, Firm, Gap, Hyperlink, heading, inOrder, labelled, type Tone, toRows, words } from "./walk-text.tsx";

/** The clocks, in milliseconds, and the authenticator; `code` null: none is needed. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
  readonly code: AuthenticatorCode | null;
}

/** Space for the panel: columns of its text, columns to its left, and rows below its heading. */
export interface PanelRoom {
  readonly cols: number;
  readonly indent: number;
  readonly rows: number;
  readonly hasHeading: boolean;
}

interface PanelProps {
  readonly state: WalkState;
  readonly moment: Moment;
  readonly room: PanelRoom;
}

interface Content {
  readonly title: string;
  readonly tone?: Tone;
  /** Shown at the other end of the title. */
  readonly aside?: string;
  /** The most important first. */
  readonly parts: readonly (ReactElement | false)[];
}

/** Information and keys for the stage that is shown. */
export function panel(props: PanelProps) {
  const { room } = props;
  const { title, tone, aside = "", parts } = contentOf(props);
  const drawn = parts.filter((part) => part !== false);
  return (
    <>
      {room.hasHeading && heading(title, hasAside(room) ? aside : "", room.indent + room.cols, tone)}
      {inOrder(drawn.map((part, index) => spaced(part, room.indent, room.hasHeading || index > 0)))}
    </>
  );
}

function spaced(part: ReactElement, indent: number, hasGap: boolean) {
  return (
    <>
      {hasGap && <Gap />}
      <Box flexShrink={0} flexDirection="column" paddingLeft={indent}>
        {part}
      </Box>
    </>
  );
}

const MIN_COLUMNS_FOR_ASIDE = 40;

function hasAside({ cols, hasHeading }: PanelRoom): boolean {
  return hasHeading && cols >= MIN_COLUMNS_FOR_ASIDE;
}

function contentOf(props: PanelProps): Content {
  const { state, moment } = props;
  const { login, refused, selected, prompt } = state;
  if (prompt !== null) return typing(prompt);
  if (refused !== null) return ending(refused);
  if (login === null) {
    const text = `Reading the manifest: ${inSeconds(moment.monotonic - state.askedAt)}`;
    return { title: "Starting the login", parts: [words(text)] };
  }
  const stage = login.stages[shownStage(state)];
  if (stage === undefined) {
    if (login.result !== null) return ending(login.result);
    return { title: "Access: not yet granted", parts: [words("Access is granted when every stage is passed.")] };
  }
  if (selected !== null || login.result !== null) return about(stage, login.result !== null);
  if (login.interaction !== null) return waiting(props, stage, login.interaction);
  return stage.stage === "guard" ? calling(props, stage) : plain(props, stage, stage.stage);
}

const promptTitles = {
  code: "Come back from the page with a code",
  error: "Come back from the page with an error",
  address: "Log in from another address",
};

function typing({ what, text, trouble }: WalkPrompt): Content {
  const label = what === "address" ? "IP address: " : what === "code" ? "Code: " : "Error: ";
  return {
    title: promptTitles[what],
    parts: [labelled(label, `${text}▏`, "strong"), trouble !== null && words(trouble, "caution")],
  };
}

const questions: Record<PlainStage, string> = {
  password: "Enter sends the right password, x a wrong one.",
  mfa: "Enter sends this code, x a wrong one.",
  "device-trust": "Is this device trusted? Enter says yes, x says no.",
  "remember-me": "Remember the user on this device? Enter says yes, x says no: both let the user in.",
};

function plain({ state, moment, room }: PanelProps, stage: StageView, name: PlainStage): Content {
  const tries = `of ${state.attempts}`;
  const { trouble } = state.link;
  return {
    title: `${stageName(stage)}: needs you`,
    aside: name === "remember-me" ? "" : `try ${stage.failures.length + 1} ${tries}`,
    parts: [
      name === "mfa" && moment.code !== null && authenticator(moment.code, room.cols),
      failures(stage, (nth) => `try ${nth} ${tries}: `),
      words(questions[name]),
      trouble !== null && remark(trouble),
    ],
  };
}

function failures({ failures: all }: StageView, label: (nth: number) => string) {
  return all.length > 0 && inOrder(all.map((why, index) => labelled(`✗ ${label(index + 1)}`, why, "bad")));
}

const CODE_SECONDS = 30;
const MIN_COLUMNS_FOR_AUTHENTICATOR = 50;

function authenticator({ code, secondsLeft }: AuthenticatorCode, cols: number) {
  const label = cols < MIN_COLUMNS_FOR_AUTHENTICATOR ? "" : "Authenticator  ";
  const shown = `${code.slice(0, 3)} ${code.slice(3)}   `;
  const room = cols - label.length - shown.length;
  return (
    <Firm>
      <Firm>
        {words(label)}
        {words(shown, "strong")}
      </Firm>
      {bar(secondsLeft / CODE_SECONDS, `${secondsLeft} s left`, room)}
    </Firm>
  );
}

function calling({ state, moment, room }: PanelProps, stage: StageView): Content {
  const { startedAt, limitMs } = state.login?.call ?? { startedAt: moment.monotonic, limitMs: 1 };
  const gone = moment.monotonic - startedAt;
  const numbers = `${inSeconds(gone)} of ${limitMs / 1000} s`;
  const tone = gone > limitMs / 2 ? "caution" : "good";
  const what = stage.exchanges.length === 0 ? "The first call." : "The final call, with the user's code.";
  return {
    title: `${stageName(stage)}: calling the app`,
    parts: [bar(gone / limitMs, numbers, room.cols, tone), words(what), ...remarks(stage)],
  };
}

function waiting({ state, moment, room }: PanelProps, stage: StageView, interaction: InteractionView): Content {
  const { type, page, troubles, expiresAt } = interaction;
  const { trouble } = state.link;
  const left = `${timeLeft(expiresAt - moment.now)} left`;
  return {
    title: `${stageName(stage)}: needs you`,
    aside: left,
    parts: [
      !hasAside(room) && words(left),
      trouble !== null && remark(trouble),
      state.link.url !== null && loginLink(state, state.link.url, room),
      ...troubles.map(remark),
      stage.description != null && words(stage.description),
      words(`The app's page (${type}): ${page}`, "quiet"),
      ...warnings(stage.warnings),
    ],
  };
}

/** The full link, because a part of it would be useless, or the key that shows it. */
function loginLink({ link, canOpen }: WalkState, url: string, room: PanelRoom) {
  const label = link.isOpened
    ? "Your browser should have opened this link. If not, open it yourself:"
    : "Open this link in a browser:";
  const rows = toRows([url], room.cols);
  const taken = toRows([label], room.cols).length + rows.length + (hasAside(room) ? 0 : 1);
  if (taken > room.rows) return <Hyperlink url={url} rows={[canOpen ? "link: press o or l" : "link: press l"]} />;
  return (
    <>
      {words(label)}
      <Hyperlink url={url} rows={rows} />
    </>
  );
}

function about(stage: StageView, isOver: boolean): Content {
  const { word, tone } = stageSign(stage, isOver);
  return {
    title: `${stageName(stage)}: ${word}`,
    ...(tone === "quiet" ? {} : { tone }),
    parts: [
      stage.reason !== undefined && words(stage.reason),
      failures(stage, () => ""),
      ...remarks(stage),
      stage.description != null && words(stage.description),
      stage.module !== undefined && words(`auth guard ${stage.module}, ${stage.type}`, "quiet"),
    ],
  };
}

function ending(result: GuardResult): Content {
  const { outcome, reason, hint, warnings: said } = result;
  return {
    title: verdict(result),
    tone: accessSigns[outcome].tone,
    parts: [
      outcome === "granted" && words("Every stage was passed."),
      reason !== null && words(reason),
      ...remarks({ hint, warnings: said }),
    ],
  };
}

/** The end of a login in one line. */
function verdict({ outcome, deniedBy, failure, stages }: GuardResult): string {
  if (failure === "interrupted") return "Interrupted: access was not granted";
  if (outcome === "needs-user") return "Not granted: a user is needed";
  if (outcome === "failed") {
    const failed = stages.find(({ result }) => result === "failed")?.module;
    return `Login failed${failed === undefined ? "" : ` at ${failed}`}`;
  }
  if (outcome === "denied") return `Access denied${deniedBy === null ? "" : ` by ${deniedBy}`}`;
  const hasGuard = stages.some(({ stage }) => stage === "guard");
  return hasGuard ? "Access granted" : "Access granted, but there was no auth guard to call";
}

function remarks({ hint, warnings: said }: { readonly hint?: string | null; readonly warnings: readonly string[] }) {
  return [hint != null && labelled("hint: ", hint, "quiet"), ...warnings(said)];
}

function warnings(said: readonly string[]) {
  return said.map((text) => labelled("! warning: ", text, "caution"));
}

function remark({ reason, hint }: Explanation) {
  return (
    <>
      {labelled("! ", reason, "caution")}
      {hint !== null && labelled("  hint: ", hint, "quiet")}
    </>
  );
}

/** `9:41`, or `41 s` under a minute. */
function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function inSeconds(milliseconds: number): string {
  return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
}
