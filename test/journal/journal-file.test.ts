import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import {
  clearJournal,
  JournalVersionError,
  journalPath,
  olderJournalPath,
  openJournalFile,
  writeWhole,
} from "../../src/journal/journal-file.ts";
import { parseJournal } from "../../src/journal/journal-lines.ts";
import type { JournalRecord, LoginRecord } from "../../src/journal/record.ts";
import { buildModule } from "../rig/build-module.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const HEADER = '{"type":"journal","version":1}\n';

const login: LoginRecord = {
  type: "login",
  id: "login-1",
  at: "2026-01-02T03:04:05.000Z",
  user: { id: 7, role: "member" },
  outcome: "denied",
  deniedBy: "guard",
  reason: "no\nway \u2028 ☃",
  exchanges: ["x-1"],
};

const exchange: Exchange = {
  type: "exchange",
  id: "x-1",
  purpose: "guard",
  module: "guard",
  startedAt: "2026-01-02T03:04:05.000Z",
  timings: { headersMs: 3, totalMs: 4.5 },
  request: { method: "POST", url: "http://127.0.0.1:1/a", headers: [["A", "ü"]], body: { base64: "e30=", size: 2 } },
  response: { status: 200, headers: [], body: { base64: "", size: 0 } },
  outcome: { kind: "answered" },
};

const records: fc.Arbitrary<JournalRecord[]> = fc.array(
  fc.oneof(
    fc
      .record({ id: fc.uuid(), reason: fc.option(fc.string({ unit: "binary" })) })
      .map((part) => ({ ...login, ...part })),
    fc
      .record({ id: fc.uuid(), response: fc.constantFrom(exchange.response, null), module: fc.option(fc.string()) })
      .map((part) => ({ ...exchange, ...part })),
  ),
  { maxLength: 3 },
);

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const parseText = (text: string) => parseJournal(Buffer.from(text));
/** As a reader gets it back: lone surrogates survive JSON, `undefined` would not. */
const saved = (list: readonly JournalRecord[]): unknown => JSON.parse(JSON.stringify(list));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const load = (inside = directory) => parseJournal(readFileSync(journalPath(inside)));
const unexpected = (message: string): void => {
  throw new Error(`unexpected trouble: ${message}`);
};

describe("parseJournal", () => {
  test("reads records, skips blank lines and headers wherever they are", () => {
    const text = `${HEADER}${line(exchange)}\n \r\n${HEADER}${line(login)}`;
    expect(parseText(text)).toEqual({ records: [exchange, login], unreadable: 0, torn: false });
  });

  test("an empty file is an empty journal", () => {
    expect(parseText("")).toEqual({ records: [], unreadable: 0, torn: false });
  });

  test("a last line without a line feed counts if it is complete, otherwise it is torn", () => {
    const whole = HEADER + line(login).trimEnd();
    expect(parseText(whole)).toEqual({ records: [login], unreadable: 0, torn: false });
    expect(parseText(whole.slice(0, -1))).toEqual({ records: [], unreadable: 0, torn: true });
  });

  test.each([
    ["not JSON", "garbage\n"],
    ["half a line", '{"type":"login","id":\n'],
    ["not an object", "[1]\n"],
    ["null", "null\n"],
    ["an empty string", '""\n'],
    ["no type", "{}\n"],
    ["an unknown type", line({ ...login, type: "later" })],
    ["a header without a number", '{"type":"journal","version":"2"}\n'],
    ["a login without id", line({ ...login, id: undefined })],
    ["a login with a number as id", line({ ...login, id: 5 })],
    ["a login with an unknown outcome", line({ ...login, outcome: "maybe" })],
    ["a login with an inherited name as outcome", line({ ...login, outcome: "toString" })],
    ["a login whose exchanges are no list of ids", line({ ...login, exchanges: [1] })],
    ["an exchange without request", line({ ...exchange, request: undefined })],
    ["an exchange without response", line({ ...exchange, response: undefined })],
    [
      "a header line of three parts",
      line({ ...exchange, request: { ...exchange.request, headers: [["a", "b", "c"]] } }),
    ],
    ["a body without size", line({ ...exchange, request: { ...exchange.request, body: { base64: "" } } })],
    ["an unknown outcome", line({ ...exchange, outcome: { kind: "exploded" } })],
    ["an outcome without its details", line({ ...exchange, outcome: { kind: "timed-out", limitMs: 1 } })],
    ["an unknown purpose", line({ ...exchange, purpose: "fun" })],
  ])("R27: %s in the middle is counted, the rest is read", (_, bad) => {
    const text = HEADER + line(exchange) + bad + line(login);
    expect(parseText(text)).toEqual({ records: [exchange, login], unreadable: 1, torn: false });
  });

  test("R27: bytes that are not UTF-8 are counted", () => {
    const bad = Buffer.from(line({ ...login, reason: "\u00ff" }), "latin1");
    const bytes = Buffer.concat([Buffer.from(HEADER + line(login)), bad]);
    expect(parseJournal(bytes)).toEqual({ records: [login], unreadable: 1, torn: false });
  });

  test("every kind of outcome is read", () => {
    const outcomes: Exchange["outcome"][] = [
      { kind: "answered" },
      { kind: "unreachable", code: "ECONNREFUSED", detail: "d", elsewhere: null },
      { kind: "tls-failed", code: "c", detail: "d" },
      { kind: "timed-out", phase: "body", limitMs: 1 },
      { kind: "disconnected", phase: "headers", detail: "d" },
      { kind: "too-large", limit: 1, decoded: false },
      { kind: "not-http", detail: "d" },
      { kind: "undecodable", encoding: "br", detail: "d" },
      { kind: "cut-off", detail: "d" },
      { kind: "interrupted" },
    ];
    const all = outcomes.map((outcome) => ({ ...exchange, outcome }));
    expect(parseText(all.map(line).join(""))).toEqual({ records: all, unreadable: 0, torn: false });
  });

  test("R27: a newer major version is refused with what to do, a newer minor one is read", () => {
    const newer = () => parseText('{"type":"journal","version":2}\n{"anything":1}\n');
    expect(newer).toThrow(JournalVersionError);
    expect(newer).toThrow(/has version 2.*understands version 1.*update app-sim/);
    expect(parseText(`{"type":"journal","version":1.1}\n${line(login)}`).records).toEqual([login]);
  });
});

describe("openJournalFile", () => {
  test("writes a header once and appends to existing records", () => {
    const first = openJournalFile(directory, unexpected);
    first.append(exchange);
    first.close();
    const second = openJournalFile(directory, unexpected);
    second.append(login);
    second.close();
    expect(readFileSync(journalPath(directory), "utf8")).toBe(HEADER + line(exchange) + line(login));
  });

  test("S27: a directory that it creates is private and ignored by git", () => {
    const made = join(directory, "deep", ".app-sim");
    openJournalFile(made, unexpected).close();
    expect(readFileSync(join(made, ".gitignore"), "utf8")).toBe("*\n");
    if (process.platform === "win32") return;
    expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(statSync(journalPath(made)).mode & 0o777).toBe(0o600);
  });

  test("a directory with files of the user gets no .gitignore", () => {
    writeFileSync(join(directory, "mine.txt"), "");
    openJournalFile(directory, unexpected).close();
    expect(existsSync(join(directory, ".gitignore"))).toBe(false);
  });

  test("R22: a journal cut at any byte loads its complete records, and the next append is valid", () => {
    fc.assert(
      fc.property(records, (list) => {
        const lines = list.map(line);
        const bytes = Buffer.from(HEADER + lines.join(""));
        const wholeAt = lines.map((_, index) => Buffer.byteLength(HEADER + lines.slice(0, index + 1).join("")) - 1);
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          const whole = saved(list.filter((_, index) => (wholeAt[index] ?? 0) <= cut)) as JournalRecord[];
          const parsed = parseJournal(bytes.subarray(0, cut));
          expect({ ...parsed, torn: null }).toEqual({ records: whole, unreadable: 0, torn: null });

          writeFileSync(journalPath(directory), bytes.subarray(0, cut));
          const file = openJournalFile(directory, unexpected);
          file.append(login);
          file.close();
          expect(load()).toEqual({ records: [...whole, login], unreadable: parsed.torn ? 1 : 0, torn: false });
        }
      }),
      { numRuns: 4 },
    );
  });

  test("R22: a line that another process left torn does not swallow the next one", () => {
    const file = openJournalFile(directory, unexpected);
    writeFileSync(journalPath(directory), '{"type":"login","id', { flag: "a" });
    file.append(login);
    file.close();
    expect(load()).toEqual({ records: [login], unreadable: 1, torn: false });
  });

  test("R24: a full disk is reported once, and appends continue", () => {
    const troubles: string[] = [];
    const file = openJournalFile(directory, (message) => troubles.push(message));
    const { writeSync } = fs;
    fs.writeSync = () => {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
    };
    syncBuiltinESMExports();
    try {
      file.append(login);
      file.append(exchange);
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    file.close();
    expect(troubles).toEqual([expect.stringMatching(/journal\.ndjson.*ENOSPC.*free disk space/)]);
  });

  test("R25: a directory that cannot be created is reported once, and appends continue", () => {
    const occupied = join(directory, "file");
    writeFileSync(occupied, "");
    const troubles: string[] = [];
    const file = openJournalFile(join(occupied, ".app-sim"), (message) => troubles.push(message));
    file.append(login);
    file.append(exchange);
    file.close();
    expect(troubles).toEqual([
      expect.stringMatching(/cannot write the journal[^;]*; choose a writable directory with --journal DIR,/),
    ]);
  });

  test("after close, appends and a second close do nothing", () => {
    const file = openJournalFile(directory, unexpected);
    file.close();
    file.append(login);
    file.close();
    expect(load().records).toEqual([]);
  });

  test("R42: a full journal makes room for a new one, keeps the newest records, and is reported once", () => {
    const troubles: string[] = [];
    const file = openJournalFile(directory, (message) => troubles.push(message), 5000);
    const all = Array.from({ length: 100 }, (_, index) => ({ ...login, id: `login-${index}` }));
    for (const record of all) file.append(record);
    file.close();
    const older = parseJournal(readFileSync(olderJournalPath(directory)));
    const [before, now] = [older.records, load().records];
    expect([...before, ...now]).toEqual(all.slice(-before.length - now.length));
    for (const path of [journalPath(directory), olderJournalPath(directory)])
      expect(statSync(path).size).toBeLessThan(5000 + 2 * line(login).length);
    expect(before.length).toBeGreaterThan(10);
    expect(troubles).toEqual([expect.stringMatching(/^the journal is larger than 5,000 bytes: .*journal\.1\.ndjson/)]);
  });

  test("R26: of two processes that write one journal, each follows if the other makes room or clears it", () => {
    const [one, other] = [openJournalFile(directory, () => {}, 2000), openJournalFile(directory, unexpected)];
    for (let count = 0; count < 50; count += 1) one.append(login);
    other.append(exchange);
    expect(load().records.at(-1)).toEqual(exchange);
    clearJournal(directory);
    other.append(exchange);
    one.append(login);
    expect(load().records).toEqual([exchange, login]);
    one.close();
    other.close();
  });

  test("R27: a journal of a newer version is refused and left unchanged", () => {
    const newer = '{"type":"journal","version":2}\n{"anything":1}\n';
    writeFileSync(journalPath(directory), newer);
    expect(() => openJournalFile(directory, unexpected)).toThrow(JournalVersionError);
    expect(readFileSync(journalPath(directory), "utf8")).toBe(newer);
  });
});

describe("openJournalFile in separate processes", () => {
  const folder = makeTempDir();
  let built = "";

  beforeAll(async () => {
    built = await buildModule("journal/journal-file.ts", folder.path);
  });

  afterAll(() => folder[Symbol.dispose]());

  /** Appends this many records with ids of its own, then prints the troubles as JSON. */
  const appending = (count: number): string => `
    import { openJournalFile } from ${JSON.stringify(built)};
    const record = ${JSON.stringify({ ...login, reason: "x".repeat(5000) })};
    const troubles = [];
    const file = openJournalFile(${JSON.stringify(directory)}, (message) => troubles.push(message));
    for (let i = 0; i < ${count}; i += 1) file.append({ ...record, id: process.pid + "-" + i });
    file.close();
    process.stdout.write(JSON.stringify(troubles));`;
  const evaluating = (program: string): string[] => ["--input-type=module", "--eval", program];

  test("R26: several simultaneous writers of one journal keep every line whole", async () => {
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, evaluating(appending(300)), { stdio: ["ignore", "ignore", "inherit"] }),
    );
    const exits = await Promise.all(children.map((child) => once(child, "exit")));
    expect(exits.map(([code]) => code)).toEqual([0, 0, 0]);
    const { records: read, ...rest } = load();
    expect(rest).toEqual({ unreadable: 0, torn: false });
    expect(new Set(read.map((record) => record.id)).size).toBe(900);
  });

  test.skipIf(process.platform === "win32")(
    "R24: a disk that fills up in the middle of a line is reported once",
    () => {
      const program = `process.on("SIGXFSZ", () => {}); ${appending(20)}`;
      const command = 'ulimit -f 24; exec "$0" "$@"';
      const printed = execFileSync("sh", ["-c", command, process.execPath, ...evaluating(program)], {
        encoding: "utf8",
      });
      expect(JSON.parse(printed)).toEqual([expect.stringMatching(/EFBIG/)]);

      const before = load();
      expect({ ...before, records: before.records.length > 0 }).toEqual({ records: true, unreadable: 0, torn: true });
      const file = openJournalFile(directory, unexpected);
      file.append(login);
      file.close();
      expect(load()).toEqual({ records: [...before.records, login], unreadable: 1, torn: false });
    },
  );
});

test("writeWhole continues until a slow writer has accepted everything", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.integer({ min: 1, max: 5 }), (bytes, atMost) => {
      const written: number[] = [];
      writeWhole(bytes, (rest) => {
        const taken = rest.subarray(0, atMost);
        written.push(...taken);
        return taken.length;
      });
      expect(written).toEqual([...bytes]);
    }),
  );
});

// Node's own recursive mkdir never ends there.
test.skipIf(!existsSync("/proc/self"))(
  "R25: a directory that the system refuses below /proc causes an error, and no hang",
  () => {
    const troubles: string[] = [];
    openJournalFile("/proc/app-sim/journal", (message) => troubles.push(message)).close();
    expect(troubles).toHaveLength(1);
  },
);
