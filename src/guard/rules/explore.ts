import type { PageTrouble } from "../../browser/fill-form.ts";
import { type Role, roles } from "../../config/roles.ts";
import type { GuardType } from "../../platform/manifest.ts";
import type { Failure } from "../../platform/result-parts.ts";
import type { ExploredRow, ExploreResult, RowEvidence } from "../explore/explore-result.ts";
import type { PageOption } from "../login/login-options.ts";
import { type LoginRow, loginTable } from "./login-table.ts";

/** Who logs in, and from which IP address. */
export interface Candidate {
  readonly user: Role;
  readonly ipAddress: string;
}

/** A guard to be explored, and the users who are not exempt from it, in the order in which they are tried. */
export interface GuardToExplore {
  readonly module: string;
  /** app_base_url of the app whose guard it is. */
  readonly app: string;
  readonly type: GuardType;
  readonly candidates: readonly Candidate[];
}

/** What the logins with one guard showed. */
export interface GuardExploration {
  readonly guard: GuardToExplore;
  /** For each row that was taken the first login that took it. */
  readonly seen: ReadonlyMap<number, RowEvidence>;
  /** Why each other row was not taken; `failed`: a call that failed ended the exploration. */
  readonly missing: ReadonlyMap<number, { readonly why: string; readonly failed: boolean }>;
  /** The candidates whose first call was answered. */
  readonly tried: readonly Candidate[];
  /** The failed call that ended the exploration. */
  readonly trouble: PageTrouble | null;
  /** The login of that call; null where its guard was not reached. */
  readonly failed: RowEvidence | null;
  /** The login in which the app accepted a code that it never issued. */
  readonly acceptedMadeUpCode: RowEvidence | null;
}

/**
 * Addresses of every kind that an app may treat in its own way, none in public use: the documentation ranges
 * (RFC 5737, RFC 3849), private networks (RFC 1918), and this machine.
 */
export const exploredAddresses: readonly string[] = [
  ...["203.0.113.10", "198.51.100.7", "192.0.2.44"],
  ...["2001:db8::7", "2001:db8:feed::7", "2001:db8:bad::7"],
  ...["10.0.0.7", "192.168.0.7", "127.0.0.1", "::1"],
];

/** The configured roles, each once, the preferred ones first. */
export function exploredUsers(preferred: readonly Role[], configured: readonly Role[]): Role[] {
  return unique([...preferred, ...roles]).filter((role) => configured.includes(role));
}

/**
 * Every pair of a user and an address, the most telling first: an app looks at the user or at the address more often
 * than at both. So every user comes from the first address, then the first user from every address.
 */
export function candidatesOf(users: readonly Role[], addresses: readonly string[]): Candidate[] {
  const [firstUser, ...otherUsers] = users;
  const [firstAddress, ...otherAddresses] = unique(addresses);
  if (firstUser === undefined || firstAddress === undefined) return [];
  return [
    ...users.map((user) => ({ user, ipAddress: firstAddress })),
    ...[firstUser, ...otherUsers].flatMap((user) => otherAddresses.map((ipAddress) => ({ user, ipAddress }))),
  ];
}

/** Each element once, in the order of first occurrence. */
export function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

/** How an interaction should end (interface 3.1): with the page's error, with a refused code, or with a good one. */
export type Aim = "error" | "refusal" | "passage";

/** What is done at the page of a guard. */
export interface PlannedVisit {
  readonly aim: Aim;
  readonly play: NonNullable<RowEvidence["page"]>;
  readonly page: PageOption;
  /** The same in words, as the beginning of a sentence. */
  readonly what: string;
}

/** The error that is sent to the app in the user's place. */
const PAGE_ERROR = "app-sim explores: the user did not complete this page";

/**
 * The visits to the page of a guard. The one that passes comes last: an app may remember for a while that a user
 * passed.
 * @param page how the app's own page is walked to a code; default for redirect: its form as it is
 */
export function visitsOf(type: GuardType, page: PageOption | undefined, madeUpCode: string): PlannedVisit[] {
  if (type === "direct") return [];
  return [
    { aim: "error", play: "error", page: { error: PAGE_ERROR }, what: "an error from its page" },
    { aim: "refusal", play: "made-up-code", page: { code: madeUpCode }, what: "a made-up code" },
    ...passageOf(type, page),
  ];
}

/** A page in a frame reports by script, so that filling in its form leads nowhere. */
function passageOf(type: "redirect" | "frame", page: PageOption | undefined): PlannedVisit[] {
  const aim = "passage";
  if (page !== undefined && page !== "wait") {
    if ("browser" in page) return [{ aim, play: "browser", page, what: "its page in a browser" }];
    if ("code" in page) return [{ aim, play: "code", page, what: "the given code" }];
    if ("fill" in page && type === "redirect") return [{ aim, play: "form", page, what: "the form of its page" }];
  }
  return type === "frame" ? [] : [{ aim, play: "form", page: { fill: {} }, what: "the form of its page as it is" }];
}

/** What has to be done to take a row of those after the first call. */
export function aimOf({ state, next }: LoginRow): Aim {
  if (state === "awaiting user") return next === "access denied" ? "error" : "refusal";
  return next === "access denied" ? "refusal" : "passage";
}

/** The rows of interface 3.1 that a guard of this type can take. */
export function rowsOf(type: GuardType): LoginRow[] {
  return loginTable.filter((row) => row.type === type || (row.type === null && type !== "direct"));
}

const ACCEPTED_MADE_UP_CODE =
  "it let a user in for a code that it never issued: the final call must be denied unless its code is the app's own";

/**
 * Every row of the table of interface 3.1, with what the explorations of all guards showed of it.
 * @param noGuard why there is no guard of a type, for example "the manifest declares no redirect guard"
 */
export function exploredRows(
  explorations: readonly GuardExploration[],
  noGuard: (types: string) => string,
): ExploredRow[] {
  return loginTable.map((row) => {
    const able = explorations.filter(({ guard }) => rowsOf(guard.type).includes(row));
    if (able.length === 0)
      return { ...row, status: "not-possible", why: noGuard(row.type ?? "redirect or frame"), evidence: [] };
    const isSeen = able.some(({ seen }) => seen.has(row.row));
    const isFailed =
      able.some((each) => brokenBy(row, each) !== null) ||
      (!isSeen && able.some(({ missing }) => missing.get(row.row)?.failed));
    const evidence = able.flatMap((exploration) => {
      const { seen, missing, failed } = exploration;
      const failedHere = isFailed && missing.get(row.row)?.failed ? failed : null;
      return brokenBy(row, exploration) ?? seen.get(row.row) ?? failedHere ?? [];
    });
    return { ...row, status: isFailed ? "failed" : isSeen ? "seen" : "not-seen", why: whyOf(row, able), evidence };
  });
}

/** The login that broke the row for the final refusal: the app accepted a code that it never issued. */
function brokenBy({ state, next }: LoginRow, { acceptedMadeUpCode }: GuardExploration): RowEvidence | null {
  return state === "awaiting final verification" && next === "access denied" ? acceptedMadeUpCode : null;
}

/** Guards that share a reason are named together. */
function whyOf(row: LoginRow, able: readonly GuardExploration[]): string | null {
  const guards = new Map<string, string[]>();
  for (const exploration of able) {
    const isBroken = brokenBy(row, exploration) !== null;
    const why = isBroken ? ACCEPTED_MADE_UP_CODE : exploration.missing.get(row.row)?.why;
    if (why !== undefined) guards.set(why, [...(guards.get(why) ?? []), exploration.guard.module]);
  }
  return [...guards].map(([why, modules]) => `${modules.join(", ")}: ${why}`).join("; ") || null;
}

/** The failures, the most telling first. */
const precedence: readonly Failure[] = ["interrupted", "unreachable", "timed-out", null, "other"];

/**
 * The verdict on a whole exploration.
 * @param end what ended it early
 */
export function explorationVerdict(
  rows: readonly ExploredRow[],
  explorations: readonly GuardExploration[],
  end: PageTrouble | null,
): Pick<ExploreResult, "outcome" | "reason" | "hint" | "failure"> {
  const [failed] = [...(end === null ? [] : [end]), ...explorations.flatMap(troublesOf)].sort(
    (one, other) => precedence.indexOf(one.failure) - precedence.indexOf(other.failure),
  );
  if (failed !== undefined) return { outcome: "failed", ...failed };
  const incomplete = (reason: string) => ({ outcome: "incomplete", reason, hint: null, failure: null }) as const;
  if (explorations.length === 0) return incomplete("there is no auth-guard module to explore");
  const missing = rows.filter(({ status }) => status !== "not-possible" && status !== "seen").map(({ row }) => row);
  if (missing.length === 0) return { outcome: "complete", reason: null, hint: null, failure: null };
  const [rowsAre, were] = missing.length === 1 ? ["row", "was"] : ["rows", "were"];
  return incomplete(`${rowsAre} ${missing.join(", ")} of the table can be taken, and ${were} not`);
}

function troublesOf({ guard, trouble, acceptedMadeUpCode }: GuardExploration): PageTrouble[] {
  const wrong = { reason: ACCEPTED_MADE_UP_CODE, hint: null, failure: null };
  return [...(trouble === null ? [] : [trouble]), ...(acceptedMadeUpCode === null ? [] : [wrong])].map((each) => ({
    ...each,
    reason: `${guard.module}: ${each.reason}`,
  }));
}
