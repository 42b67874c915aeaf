import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isTwin } from "../../src/checking/check.ts";
import { type EncodedRequest, encodeRequest, type RequestParts } from "../../src/checking/request-parts.ts";
import { configure } from "../../src/config/load.ts";
import type { App } from "../../src/config/schema.ts";
import type { SignatureScheme } from "../../src/webhook/rules/signature.ts";
import { webhookChecks } from "../../src/webhook-checks/checks.ts";
import { type EventWorld, freshEvents, freshNumber } from "../../src/webhook-checks/fresh-events.ts";

const secret = "canary-app-secret-0123456789abcdef";
const [app] = (await configure({ app: { appSecret: secret } }, process.cwd())).config.apps as [App];
const now = 1_700_000_000;
const schemes = (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
  ["", "sha256="].flatMap((prefix) =>
    [null, "X-Platform-Timestamp"].map(
      (timestampHeader): SignatureScheme => ({ header: "X-Platform-Signature", encoding, prefix, timestampHeader }),
    ),
  ),
);

const controlWith = (scheme: SignatureScheme): RequestParts => ({
  method: "POST",
  url: "http://127.0.0.1:3000/webhooks",
  headers: [
    ["Content-Type", "application/json"],
    ["X-Platform-Id", "200000001"],
    ["X-Platform-Domain", "acme"],
    ["X-Module-Key", "translation-events"],
  ],
  body: { json: { events: freshEvents(world, 7) } },
  token: null,
  tokenIn: { scheme: "Bearer" },
  signature: { scheme, key: createSecretKey(secret, "utf8"), now, id: "d1" },
});

const world: EventWorld = {
  names: ["project.translated", "project.approved"],
  projects: [
    { id: 501, identifier: "app", name: "App", sourceLanguage: "en", targetLanguages: ["uk", "de"] },
    { id: 502, identifier: "site", name: "Site", sourceLanguage: "en", targetLanguages: ["uk"] },
  ],
  ids: "strings",
};

/** What a receiver reads out of a delivery: the names of its properties are those of `changes`. */
function decoded({ method, url, headers, body }: EncodedRequest, scheme: SignatureScheme) {
  const lines = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const signature = lines.get(scheme.header.toLowerCase()) ?? null;
  const time = scheme.timestampHeader === null ? null : (lines.get(scheme.timestampHeader.toLowerCase()) ?? "");
  const hmac = createHmac("sha256", secret).update(time === null ? "" : `${time}.`);
  const isRight = signature === scheme.prefix + hmac.update(body).digest(scheme.encoding);
  const others = [...lines].filter(
    ([name]) => ![scheme.header, scheme.timestampHeader].some((own) => own?.toLowerCase() === name),
  );
  return {
    method,
    url,
    time,
    isRight,
    signature,
    body: Buffer.from(body).toString("hex"),
    json: JSON.stringify(sorted(JSON.parse(Buffer.from(body).toString()))),
    headers: new Map(others),
    names: headers
      .map(([name]) => name)
      .toSorted()
      .join(),
    order: headers.map(([name]) => name.toLowerCase()).join(),
  };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([name, member]) => [name, sorted(member)]),
  );
}

function changed(control: EncodedRequest, twin: EncodedRequest, scheme: SignatureScheme): string[] {
  const [one, other] = [decoded(control, scheme), decoded(twin, scheme)];
  const differs = (name: Exclude<keyof typeof one, "headers">) => one[name] !== other[name];
  const bodyChanged = differs("body");
  return [
    ...(differs("method") ? ["method"] : []),
    ...(differs("url") ? ["url"] : []),
    ...[...new Map([...one.headers, ...other.headers]).keys()]
      .filter((name) => one.headers.get(name) !== other.headers.get(name))
      .map((name) => `headers.${name}`),
    ...(differs("names") && one.order === other.order ? ["headers.case"] : []),
    ...(differs("order") && !differs("names") ? ["headers.order"] : []),
    // The same signature over another body, and another signature over the same one, are one change each.
    ...(bodyChanged && !differs("signature") ? ["body"] : []),
    ...(bodyChanged && differs("signature") && other.isRight && !differs("json") ? ["json.spelling"] : []),
    ...(!bodyChanged && (differs("signature") || differs("time")) ? ["signature"] : []),
  ];
}

describe.each(schemes)("under the scheme $encoding, prefix '$prefix', time $timestampHeader", (scheme) => {
  test.each(webhookChecks.filter(isTwin))("$id differs from the correct delivery only in $changes", (check) => {
    const control = controlWith(scheme);
    const twin = check.twin(control, app, "http://localhost:9/keys");
    if (twin === null) return expect(scheme.timestampHeader).toBeNull();
    expect(changed(encodeRequest(control), encodeRequest(twin), scheme)).toEqual([check.changes]);
    // These are refused for another reason.
    const isSigned = /^webhook\.(time\.old|recipient)/.test(check.id);
    if (check.right === "refused" && !isSigned) {
      expect(decoded(encodeRequest(twin), scheme).isRight).toBe(false);
    }
  });
});

test("no two fresh bodies are alike, whatever their events are called", () => {
  const bodies = Array.from({ length: 300 }, (_, index) =>
    JSON.stringify(freshEvents(world, index + 1).map(({ event: _event, ...place }) => place)),
  );
  expect(new Set(bodies).size).toBe(bodies.length);
});

test("bodies continue after those that were sent, and start elsewhere in each process", () => {
  const about = (number: number) => JSON.stringify(freshEvents(world, number));
  const sent = [17, 123_456, 99].map((number) => freshEvents(world, number));
  const altered = [{ event: "project.approved", project: { id: "1" }, targetLanguage: { id: "uk" } }];
  const many = Array.from({ length: 1000 }, () => freshEvents(world, 1)).flat();
  const next = freshNumber(world, [...sent, altered, many, undefined], 5);
  expect(next).toBeGreaterThan(123_456);
  expect(next).toBeLessThan(124_000);
  const beginnings = [5, 7_000_001].map((seed) => freshNumber(world, [], seed));
  expect(new Set(beginnings.map(about)).size).toBe(2);
  expect(freshEvents(world, 10_000_000).length).toBeLessThan(20);
});

test("with only one target language, bodies start with one event", () => {
  const [project] = world.projects as [EventWorld["projects"][number]];
  const narrow = { ...world, projects: [{ ...project, targetLanguages: ["uk"] }] };
  expect(freshNumber(narrow, [], 7_000_001)).toBe(1);
});
