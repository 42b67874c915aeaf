import type { Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import type { JournalRecord, OAuthRecord, VerificationRecord } from "../journal/record.ts";
import { Redactor } from "../journal/redact.ts";
import {
  decisionText,
  decisionTone,
  isRefusedForFault,
  loadTones,
  loadWords,
  loginTones,
  verificationTones,
} from "../log/event-words.ts";
import { SECRET_RECORDS } from "../log/shown-secrets.ts";
import { outcomeText } from "../output/exchange-text.ts";
import { foreignText } from "../output/foreign-text.ts";
import { appAt } from "../platform/app-at.ts";
import { stringFindings } from "../post-import/run/recorded-import.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { isForged } from "../webhook/signature-steps.ts";
import type { RowView } from "./view.ts";

/** Characters of an address or a reason in the list; the exchange itself has all of it. */
const SHOWN_CHARACTERS = 300;

/** Larger imports are judged only when they are opened: a journal may have thousands. */
const JUDGED_BYTES = 64 * 1024;

/** Creates the lines of the list from records, in the order of the journal. */
export class Rows {
  readonly #apps: readonly App[];
  readonly #choices: Choices;
  readonly #secrets: readonly string[];
  /** Redacts only the configuration's secrets: creating one takes long. */
  readonly #redactor: Redactor;
  readonly #issued: string[][] = [];

  constructor(apps: readonly App[], choices: Choices, secrets: readonly string[]) {
    this.#apps = apps;
    this.#choices = choices;
    this.#secrets = secrets;
    this.#redactor = new Redactor(secrets);
  }

  /** The line of a record. @param group that it belongs to */
  rowOf(record: JournalRecord, group: string | null): RowView {
    if (record.type === "exchange") return this.#exchangeRow(record, group);
    const { id, at } = record;
    const event = { ...eventRow, id, at, kind: record.type, group };
    switch (record.type) {
      case "login": {
        const { user, outcome, deniedBy, reason } = record;
        const by = deniedBy === null ? "" : ` by ${deniedBy}`;
        return {
          ...event,
          what: `login as ${user.role}`,
          result: this.#shown(outcome + by),
          tone: loginTones[outcome],
          module: deniedBy === null ? null : this.#shown(deniedBy),
          note: this.#note(reason),
        };
      }
      case "oauth":
        return { ...event, what: `oauth ${record.step}`, ...this.#decision(record) };
      case "verification": {
        const { outcome, reason } = record;
        const tone = verificationTones[outcome];
        const count = failedCount(record);
        const note = reason === null ? count : `${count}: ${this.#shown(reason)}`;
        return { ...event, what: "verify", result: outcome, tone, note, isFault: outcome === "failed" };
      }
      case "load": {
        const { outcome, reason } = record;
        const words = loadWords(record);
        const note = reason === null ? words : `${words}: ${this.#shown(reason)}`;
        return {
          ...event,
          what: `load of ${withCommas(record.sent)} deliveries`,
          result: outcome,
          tone: loadTones[outcome],
          note,
          isFault: outcome === "failed",
        };
      }
      case "foreign": {
        const note = this.#note(foreignText(record));
        return { ...event, what: "foreign pages", result: "403", status: 403, tone: "caution", note };
      }
    }
  }

  /** The line of an exchange with the authorization server, with the platform's decision. */
  decided(row: RowView, record: OAuthRecord): RowView {
    const app = this.#apps.find(({ clientId }) => clientId === record.client);
    return { ...row, app: app === undefined ? row.app : nameOf(app), ...this.#decision(record) };
  }

  /** The line of an exchange that made a check fail. */
  failed(row: RowView, check: string, reason: string | null): RowView {
    return { ...row, tone: "bad", isFault: true, note: this.#note(reason === null ? check : `${check}: ${reason}`) };
  }

  #exchangeRow(exchange: Exchange, group: string | null): RowView {
    const { id, startedAt, purpose, module, request, response, outcome, timings } = exchange;
    this.#issued.push(issuedSecrets(exchange).map(({ value }) => value));
    if (this.#issued.length > SECRET_RECORDS) this.#issued.shift();
    const isAnswered = outcome.kind === "answered";
    const status = response?.status ?? null;
    const verdict = isAnswered ? this.#verdict(exchange) : "bad";
    const isFault = verdict === "bad";
    const warnings = this.#importWarnings(exchange);
    const app = appAt(this.#apps, request.url);
    return {
      id: harmlessLine(id),
      at: harmlessLine(startedAt),
      kind: purpose,
      module: module === null ? null : this.#shown(module),
      app: app === null ? null : nameOf(app),
      what: this.#address(request),
      result: isAnswered ? String(status) : this.#shown(outcomeText(outcome)),
      status,
      tone: verdict === "plain" && warnings.length > 0 ? "caution" : verdict,
      ms: timings.totalMs,
      bytes: response?.body.size ?? null,
      note: this.#noteOf(exchange, warnings),
      isFault,
      group,
      attempt: exchange.delivery ?? null,
      isExchange: true,
    };
  }

  #noteOf({ check }: Exchange, [first, ...others]: readonly string[]): string | null {
    if (check !== undefined) return this.#shown(`${check.id ?? ""} ${check.role}`.trim());
    if (first === undefined) return null;
    return this.#shown(others.length === 0 ? first : `${first} (and ${others.length} more)`);
  }

  /** What is wrong with the module's changes to strings, as far as a single answer shows. */
  #importWarnings(exchange: Exchange): string[] {
    const { purpose, check, request, response } = exchange;
    const isShort = request.body.size + (response?.body.size ?? 0) <= JUDGED_BYTES;
    if (purpose !== "post-import" || check !== undefined || !isShort) return [];
    return stringFindings({ job: exchange, files: [] }, this.#choices).map(({ identifier, message }) =>
      identifier === null ? message : `${identifier} ${message}`,
    );
  }

  /** A status alone says little: forged requests must be refused, and a page may refuse a user's link. */
  #verdict(exchange: Exchange): RowView["tone"] {
    const { purpose, response, check } = exchange;
    const status = response?.status ?? 0;
    if (status >= 500) return "bad";
    if (check !== undefined || status === 0) return "plain";
    const forged = isForged(exchange, this.#apps, this.#choices);
    if (forged === true) return status >= 200 && status < 300 ? "bad" : "good";
    if (status < 400) return "plain";
    return purpose === "visit" || purpose === "guard-page" ? "caution" : "bad";
  }

  #decision(record: OAuthRecord): Partial<RowView> & Pick<RowView, "result"> {
    return {
      result: harmlessLine(record.error ?? record.outcome),
      tone: decisionTone(record),
      note: this.#shown(decisionText(record)),
      isFault: isRefusedForFault(record),
    };
  }

  #address({ method, url }: Exchange["request"]): string {
    const path = url.replace(/^https?:\/\/[^/]+/, "");
    const issued = path.includes("?") ? this.#issued.flat() : [];
    const redactor = issued.length === 0 ? this.#redactor : new Redactor([...this.#secrets, ...issued]);
    return clip(harmlessLine(`${method} ${redactor.text(path)}`), SHOWN_CHARACTERS);
  }

  #note(text: string | null): string | null {
    return text === null ? null : this.#shown(text);
  }

  #shown(text: string): string {
    return clip(harmlessLine(this.#redactor.text(text)), SHOWN_CHARACTERS);
  }
}

const eventRow = {
  module: null,
  app: null,
  status: null,
  tone: "plain",
  ms: null,
  bytes: null,
  note: null,
  isFault: false,
  attempt: null,
  isExchange: false,
} as const;

/** How many checks a verification ran, and how many of them failed. */
export function failedCount({ checks }: VerificationRecord): string {
  const failed = checks.filter(({ result }) => result === "fail").length;
  return `${checks.length} checks, ${failed} failed`;
}

function nameOf({ name, url }: App): string {
  return harmlessLine(name ?? url);
}
