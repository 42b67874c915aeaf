import { type Exchange, headerValue } from "../journal/exchange.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import { isIncoming } from "../journal/purposes.ts";
import type { JournalRecord, LoadRecord, LoginRecord, VerificationRecord } from "../journal/record.ts";
import { loadTones, loadWords, loginTones, verificationTones } from "../log/event-words.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { failedCount } from "./rows.ts";
import type { GroupKind, GroupView } from "./view.ts";

/** Deliveries with smaller gaps than this belong to one run. */
const RUN_GAP_MS = 2000;

/** What a record belongs to, and the groups that begin, end or grow because of it. */
interface Placed {
  readonly group: string | null;
  readonly groups: readonly GroupView[];
}

type Begun = Pick<GroupView, "kind" | "title"> & Partial<GroupView>;

/** Finds out which records belong together, from the journal's records in order. */
export class Grouping {
  readonly #groups = new Map<string, GroupView>();
  /** The group of each record; null if it has none. */
  readonly #groupOf = new Map<string, string | null>();
  /** How many records each group has. */
  readonly #members = new Map<string, number>();
  /** Files that apps fetched since the last job of their module ended: times by module key and exchange. */
  readonly #files = new Map<string | null, Map<string, string>>();
  readonly #lastImport = new Map<string | null, string>();
  /** Groups of OAuth flows by a state, code or token that they share, and the latest record with it. */
  readonly #flows = new Map<string, { readonly group: string; readonly latest: string }>();
  /** Those states, codes and tokens, by record. */
  readonly #shared = new Map<string, readonly string[]>();
  #run: { readonly group: string; endedMs: number } | null = null;

  /** The current state of the group with this id. */
  find(id: string): GroupView | null {
    return this.#groups.get(id) ?? null;
  }

  /** The sizes of everything that is kept. */
  get counts(): Readonly<Record<string, number>> {
    const [placed, groups, files] = [
      this.#groupOf.size,
      this.#groups.size,
      [...this.#files.values()].flatMap((each) => [...each]).length,
    ];
    return {
      placed,
      groups,
      files,
      imports: this.#lastImport.size,
      flows: this.#flows.size,
      shared: this.#shared.size,
    };
  }

  place(record: JournalRecord): Placed {
    const placed = this.#placed(record);
    // A decision of the platform is shown on the line of its exchange.
    if (record.type !== "oauth") this.#move(record.id, placed.group);
    for (const group of placed.groups) {
      for (const id of group.claims) if (this.#groupOf.has(id)) this.#move(id, group.id);
    }
    return placed;
  }

  /** Forgets a record that is no longer shown, and its group with its last record. */
  forget(id: string): void {
    this.#move(id, null);
    this.#groupOf.delete(id);
    for (const value of this.#shared.get(id) ?? []) {
      if (this.#flows.get(value)?.latest === id) this.#flows.delete(value);
    }
    this.#shared.delete(id);
    for (const [module, files] of this.#files) {
      if (files.delete(id) && files.size === 0) this.#files.delete(module);
    }
  }

  /** The same group for another entry of the list, without the claims that were already sent. */
  renew({ id, kind }: GroupView): GroupView {
    return this.#set(id, { kind });
  }

  #move(id: string, group: string | null): void {
    const before = this.#groupOf.get(id) ?? null;
    this.#groupOf.set(id, group);
    if (group !== null) this.#members.set(group, (this.#members.get(group) ?? 0) + 1);
    if (before === null) return;
    const left = (this.#members.get(before) ?? 0) - 1;
    this.#members.set(before, left);
    if (left > 0) return;
    this.#members.delete(before);
    this.#groups.delete(before);
    for (const [module, last] of this.#lastImport) if (last === before) this.#lastImport.delete(module);
  }

  #placed(record: JournalRecord): Placed {
    if (record.type === "login") return this.#login(record);
    if (record.type === "verification") return this.#verification(record);
    if (record.type === "oauth") return { group: this.#groupOf.get(record.exchange) ?? null, groups: [] };
    if (record.type === "foreign") return alone;
    if (record.type === "load") return this.#load(record);
    if (record.check !== undefined) {
      const { verification, run } = record.check;
      return this.#in(`verify-${verification ?? run}`, { kind: "verify", title: "verify" });
    }
    if (record.purpose === "webhook") return this.#delivery(record);
    if (["post-import", "file", "import-file"].includes(record.purpose)) return this.#importJob(record);
    if (isIncoming(record.purpose) || record.purpose === "visit") return this.#flow(record);
    return alone;
  }

  #in(id: string, begun: Begun): Placed {
    return { group: id, groups: this.#groups.has(id) ? [] : [this.#set(id, begun)] };
  }

  /** Begins a group, or changes it. */
  #set(id: string, change: Partial<GroupView> & { readonly kind: GroupKind }): GroupView {
    const group = {
      id,
      title: change.kind,
      result: null,
      tone: "plain",
      load: null,
      ...this.#groups.get(id),
      claims: [],
      ...change,
    } as const;
    this.#groups.set(id, group);
    return group;
  }

  #login({ id, user, outcome, exchanges }: LoginRecord): Placed {
    // A login that is part of a verification stays with it.
    const other = exchanges.map((each) => this.#groupOf.get(each)).find((group) => group != null);
    if (other != null) return { group: other, groups: [] };
    const tone = loginTones[outcome];
    const title = `login as ${user.role} (user ${user.id})`;
    const group = this.#set(`login-${id}`, { kind: "login", title, result: outcome, tone, claims: exchanges });
    return { group: group.id, groups: [group] };
  }

  #verification(record: VerificationRecord): Placed {
    const { id, outcome } = record;
    const title = `verify: ${failedCount(record)}`;
    const tone = verificationTones[outcome];
    const group = this.#set(`verify-${id}`, { kind: "verify", title, result: outcome, tone });
    return { group: group.id, groups: [group] };
  }

  #load(record: LoadRecord): Placed {
    const { id, outcome, latency, curve, exchanges } = record;
    const facts = { result: outcome, tone: loadTones[outcome], claims: exchanges, load: { latency, curve } };
    const group = this.#set(`load-${id}`, { kind: "load", title: `load: ${loadWords(record)}`, ...facts });
    return { group: group.id, groups: [group] };
  }

  #delivery({ id, startedAt, timings }: Exchange): Placed {
    const startedMs = Date.parse(startedAt);
    const endedMs = startedMs + timings.totalMs;
    if (this.#run !== null && startedMs - this.#run.endedMs < RUN_GAP_MS) {
      this.#run.endedMs = Math.max(endedMs, this.#run.endedMs);
    } else this.#run = { group: `deliveries-${id}`, endedMs };
    return this.#in(this.#run.group, { kind: "deliveries", title: "deliveries" });
  }

  #importJob(exchange: Exchange): Placed {
    const { id, purpose, module, startedAt, request } = exchange;
    const files = this.#files.get(module) ?? new Map<string, string>();
    if (purpose === "file") {
      this.#files.set(module, files.set(id, startedAt));
      return alone;
    }
    if (purpose === "import-file") {
      const group = this.#lastImport.get(module) ?? null;
      return { group, groups: [] };
    }
    this.#files.delete(module);
    // The app fetches the files of a job during the call.
    const claims = [...files].flatMap(([file, fetchedAt]) => (fetchedAt >= startedAt ? file : []));
    const head = Buffer.from(request.body.base64.slice(0, 400_000), "base64").toString("utf8");
    const [, name] = /"file":\{"id":\d+,"name":"([^"\\]{1,200})"/.exec(head) ?? [];
    const title = `import ${name === undefined ? `for ${module}` : `of ${name}`}`;
    const group = this.#set(`import-${id}`, { kind: "import", title: harmlessLine(title), claims });
    this.#lastImport.set(module, group.id);
    return { group: group.id, groups: [group] };
  }

  #flow(exchange: Exchange): Placed {
    const values = sharedValues(exchange);
    const known = values.map((value) => this.#flows.get(value)?.group).find((group) => group !== undefined);
    if (known === undefined && (values.length === 0 || exchange.purpose === "api")) return alone;
    const id = known ?? `oauth-${exchange.id}`;
    for (const value of values) this.#flows.set(value, { group: id, latest: exchange.id });
    this.#shared.set(exchange.id, values);
    return this.#in(id, { kind: "oauth", title: "OAuth flow" });
  }
}

const alone: Placed = { group: null, groups: [] };

/** What the exchanges of one OAuth flow share: state, code, verifier and tokens (interface 5.2 to 5.4). */
function sharedValues(exchange: Exchange): string[] {
  const { request, response } = exchange;
  const location = headerValue(response?.headers ?? [], "location") ?? "";
  const inAddresses = [request.url, location].flatMap((address) => {
    const query = new URLSearchParams(/\?([^#]*)/.exec(address)?.[1]);
    return ["state", "code"].flatMap((name) => query.get(name) ?? []);
  });
  const bearer = /^Bearer (.+)$/i.exec(headerValue(request.headers, "authorization") ?? "")?.[1];
  return [
    ...inAddresses,
    ...issuedSecrets(exchange).map(({ value }) => value),
    ...(bearer === undefined || exchange.purpose === "visit" ? [] : [bearer]),
  ].filter((value) => value.length >= 8);
}
