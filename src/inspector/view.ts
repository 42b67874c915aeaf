import type { LoadRecord } from "../journal/record.ts";
import type { TimingPhase } from "../journal/timing-phases.ts";
import type { StringsTable } from "../post-import/rules/table-strings.ts";
import type { SignatureSteps } from "../webhook/signature-steps.ts";

/** What the inspector's page receives from the server: plain data with its secrets redacted (hardening S27). */

/** A line of the list: an exchange, or an event such as the end of a login. Texts are harmless and one line each. */
export interface RowView {
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The purpose of an exchange, such as `guard`; for an event its type, such as `login`. */
  readonly kind: string;
  /** Key of the module. */
  readonly module: string | null;
  /** The app's name, or else its address; null if there is none, or it is not known. */
  readonly app: string | null;
  /** What it was, in a few words: `POST /guards/network`, or `login as member`. */
  readonly what: string;
  /** How it ended, in a few words: `200`, `timed out after 10 s while connecting`, `granted`. */
  readonly result: string;
  /** The status of the answer; null if there is none. */
  readonly status: number | null;
  readonly tone: "good" | "bad" | "caution" | "plain";
  /** Milliseconds; null for an event. */
  readonly ms: number | null;
  /** Bytes of the answer; null for an event. */
  readonly bytes: number | null;
  /** Why, or what the platform decided. */
  readonly note: string | null;
  /** Whether something went wrong. */
  readonly isFault: boolean;
  /** Id of the group that it belongs to; null if it has none. */
  readonly group: string | null;
  /** Which attempt at which delivery it was; null if it was not one. */
  readonly attempt: { readonly id: string; readonly attempt: number } | null;
  /** Whether it has an exchange that can be opened. */
  readonly isExchange: boolean;
}

export const groupKinds = ["login", "import", "deliveries", "oauth", "verify", "load"] as const;
export type GroupKind = (typeof groupKinds)[number];

/** What exchanges belong to. */
export interface GroupView {
  readonly id: string;
  readonly kind: GroupKind;
  readonly title: string;
  /** How it ended; null if that is not known yet. */
  readonly result: string | null;
  readonly tone: RowView["tone"];
  /** Ids of rows that were sent earlier and belong to it. */
  readonly claims: readonly string[];
  /** What a load test measured; null for other groups. */
  readonly load: Pick<LoadRecord, "latency" | "curve"> | null;
}

/** What happened, in order. A later row or group with the same id replaces the earlier one. */
export type FeedEntry = { readonly row: RowView } | { readonly group: GroupView };

/** A body, as far as the journal kept it. */
export interface BodyView {
  /** Bytes on the wire. */
  readonly size: number;
  /** Whether only its beginning was kept. */
  readonly isCut: boolean;
  /** What was kept, decoded from gzip; null if it is not UTF-8. */
  readonly text: string | null;
  /** The bytes, decoded from gzip, in base64. */
  readonly base64: string;
  readonly isGzip: boolean;
  /** Media type, in lower case; empty if none was given. */
  readonly type: string;
}

export interface MessageView {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: BodyView;
}

/** One claim, or header member, of a token. */
export interface ClaimView {
  readonly name: string;
  /** As JSON. */
  readonly value: string;
  readonly meaning: string;
  /** Whether it matches what the platform knows of this call; null if there is nothing to compare with. */
  readonly isRight: boolean | null;
}

export interface TokenView {
  /** Where it was: `Authorization`, `jwtToken in the address`. */
  readonly place: string;
  readonly header: readonly ClaimView[];
  readonly claims: readonly ClaimView[];
  /** Whether its signature is valid; null if the key is not known. */
  readonly isSigned: boolean | null;
  readonly signature: string;
  /** The section of the interface about it, and the choices that decide the rest. */
  readonly section: string;
}

export interface FindingView {
  /** Id of a check, or what judged it. */
  readonly check: string;
  readonly result: "pass" | "warn" | "fail" | "skip" | "inconclusive";
  readonly title: string;
  readonly section: string;
  readonly reason: string | null;
  readonly hint: string | null;
  /** The exchange with the correct request, to compare with; null if there is none, or it is this one. */
  readonly control: string | null;
  readonly twin: string | null;
}

/** Where a secret is that can be revealed: a part of an exchange, and the index among the hidden ones, from 0. */
export interface HiddenPart {
  readonly side: "request" | "response";
  readonly place: "url" | "header" | "body";
  /** For a header: its line, from 0. */
  readonly line: number;
  readonly nth: number;
}

/** One exchange in full. */
export interface ExchangeView {
  readonly row: RowView;
  readonly method: string;
  /** In full. */
  readonly url: string;
  readonly status: number | null;
  readonly outcome: string;
  readonly explanation: { readonly reason: string; readonly hint: string | null } | null;
  readonly totalMs: number;
  /** How the time was spent, one phase after the other. */
  readonly phases: readonly TimingPhase[];
  readonly request: MessageView;
  /** null: nothing came. */
  readonly response: MessageView | null;
  readonly tokens: readonly TokenView[];
  readonly signature: SignatureSteps | null;
  readonly findings: readonly FindingView[];
  /** For a post-import call; a text says why there is no table of its strings. */
  readonly strings: StringsTable | string | null;
  /** A shell command that sends it again; null if there is none. */
  readonly curl: string | null;
  /** Why there is none. */
  readonly noCurl: string | null;
  /** What it belongs to, and the other exchanges there, in order. */
  readonly group: GroupView | null;
  readonly siblings: readonly RowView[];
}

/** What the page shows of the platform, or of the saved journal. */
export interface PlatformView {
  /** null: a saved journal. */
  readonly url: string | null;
  readonly domain: string | null;
  readonly journal: string | null;
  /** The configured apps. */
  readonly apps: readonly { readonly name: string; readonly url: string; readonly redirectUri: string | null }[];
  readonly users: readonly { readonly login: string; readonly role: string }[];
  /** Who logs in, and from which address, unless somebody says otherwise. */
  readonly login: { readonly user: string; readonly ipAddress: string };
  /** Where an OAuth login starts, as configured. */
  readonly oauthStart: string | null;
}
