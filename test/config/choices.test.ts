import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChoiceId, choiceDefinitions, choiceIds, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { parseChoice, parseChooseFlag } from "../../src/config/parse-choice.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

function refusal(act: () => unknown): UsageError {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("choiceDefinitions", () => {
  it.each(choiceIds)("%s says in one line each why this is the default, and what else is allowed", (id) => {
    const { section, reason, alternatives } = choiceDefinitions[id];
    expect(section).toMatch(/^[1-9](\.[1-9])?$/);
    expect([reason, alternatives].join("")).not.toMatch(/\n/);
    expect([reason.length, alternatives.length].every((length) => length > 0)).toBe(true);
  });

  it("lists as alternatives everything that the schema allows besides the default", () => {
    for (const id of choiceIds) {
      const { schema, alternatives } = choiceDefinitions[id];
      const [issue] = schema().safeParse({ nothing: "like this" }).error?.issues ?? [];
      if (issue?.code !== "invalid_value") continue;
      const others = issue.values.slice(1).join(", ");
      expect(alternatives, id).toBe(others);
    }
  });
});

describe("parseChoice", () => {
  it.each<[ChoiceId, unknown]>([
    ["guard.jwt.algorithm", "EdDSA"],
    ["guard.jwt.lifetime", 1],
    ["guard.jwt.lifetime", 86_400],
    ["guard.jwt.claims", { add: { iss: "me", list: [1] }, rename: { sub: "user" }, drop: ["aud"] }],
    ["guard.jwt.claims", { rename: { aud: "sub" }, drop: ["sub"] }],
    ["guard.jwt.claims", { rename: { aud: "sub", sub: "aud" } }],
    ["guard.jwt.claims", { drop: ["aud", "sub", "domain", "module", "context", "iat", "exp", "jti"] }],
    ["guard.jwt.claims", { add: { deep: { a: [null, true, 1.5] }, sub: "someone" } }],
    ["guard.owner.exempt", false],
    ["webhook.signature.prefix", "sha256="],
    ["webhook.signature.prefix", ""],
    ["limits.size", "5MB"],
    ["limits.size", 1024],
    ["limits.size", 5_242_880],
    ["postImport.timeout", 100],
    ["postImport.timeout", 120_000],
    ["postImport.fetch.timeout", 3_600_000],
    ["postImport.fetch.size", 1024],
    ["postImport.fetch.size", 2 ** 40],
    ["wire.headerPrefix", "X-Acme-"],
    ["wire.userAgent", "Acme Hooks/2.0"],
  ])("accepts %s = %j", (id, value) => expect(parseChoice(id, value, "x")).toEqual({ [id]: value }));

  it.each<[ChoiceId, unknown]>([
    ["guard.jwt.algorithm", "none"],
    ["guard.jwt.lifetime", 0],
    ["guard.jwt.lifetime", 86_401],
    ["guard.jwt.lifetime", 1.5],
    ["guard.jwt.lifetime", "900"],
    ["guard.jwt.claims", { remove: ["aud"] }],
    ["guard.jwt.claims", { drop: ["iss"] }],
    ["guard.jwt.claims", { drop: ["constructor"] }],
    ["guard.jwt.claims", { drop: "aud" }],
    ["guard.jwt.claims", { rename: { toString: "x" } }],
    ["guard.jwt.claims", { rename: { iss: "x" } }],
    ["guard.jwt.claims", { rename: { aud: "" } }],
    ["guard.jwt.claims", { rename: { aud: "sub" } }],
    ["guard.jwt.claims", { rename: { aud: "x", iat: "x" } }],
    ["guard.jwt.claims", { rename: { aud: "sub" }, drop: ["iat"] }],
    ["guard.owner.exempt", "false"],
    ["webhook.signature.prefix", "a\r\nX-Evil: 1"],
    ["limits.size", 1023],
    ["limits.size", 5_242_881],
    ["limits.size", "1024"],
    ["limits.size", null],
    ["postImport.timeout", 99],
    ["postImport.timeout", 120_001],
    ["postImport.fetch.timeout", 3_600_001],
    ["postImport.fetch.size", 1023],
    ["postImport.fetch.size", 2 ** 40 + 1],
    ["wire.headerPrefix", "X Acme"],
    ["wire.headerPrefix", ""],
    ["wire.userAgent", "é"],
    ["wire.userAgent", " padded"],
  ])("refuses %s = %j and lists what is allowed", (id, value) => {
    const { message, code, hint } = refusal(() => parseChoice(id, value, "file x.json"));
    expect(code).toBe("choice-invalid");
    expect(message).toContain(`file x.json: ${id} cannot be ${JSON.stringify(value)}`);
    expect(hint).toContain(`allowed: ${JSON.stringify(defaultChoices[id])} (the default), `);
    expect(hint).toContain(choiceDefinitions[id].alternatives);
  });

  it.each([[() => "late"], [12n], [undefined], [Number.NaN], [new Date(0)], [new Map()]])(
    "refuses to add a claim that JSON cannot hold: %o",
    (value) => {
      const { code } = refusal(() => parseChoice("guard.jwt.claims", { add: { claim: value } }, "file x.js"));
      expect(code).toBe("choice-invalid");
    },
  );

  it("refuses exactly the templates that give two standard claims one name", () => {
    const claims = ["aud", "sub", "domain", "module", "context", "iat", "exp", "jti"];
    const name = fc.constantFrom(...claims, "x", "y");
    const rename = fc.dictionary(fc.constantFrom(...claims), name, { maxKeys: 4 });
    fc.assert(
      fc.property(rename, fc.subarray(claims), (renamed, drop) => {
        const names = claims.filter((claim) => !drop.includes(claim)).map((claim) => renamed[claim] ?? claim);
        const isAllowed = new Set(names).size === names.length;
        const parse = () => parseChoice("guard.jwt.claims", { rename: renamed, drop }, "x");
        if (isAllowed) expect(parse).not.toThrow();
        else expect(refusal(parse).code).toBe("choice-invalid");
      }),
    );
  });

  it.each([
    ["guard.jwt.algorithm", "hs-256", ' Did you mean "HS256"?'],
    ["guard.jwt.algorithm", "ES265", ' Did you mean "ES256"?'],
    ["postImport.auth", "barer", ' Did you mean "bearer"?'],
    ["webhook.ids", "nine", ""],
    ["guard.jwt.lifetime", "10", ""],
  ])("suggests the value near %s = %s, the default included", (id, value, suggestion) => {
    const { message } = refusal(() => parseChoice(id, value, "x"));
    expect(message).toBe(`x: ${id} cannot be "${value}".${suggestion}`);
  });

  it.each([
    ["guard.jwt.algorythm", ' Did you mean "guard.jwt.algorithm"?'],
    ["webhook.retry", ' Did you mean "webhook.retries"?'],
    ["", ""],
    ["__proto__", ""],
    ["toString", ""],
  ])("refuses the id %j with the nearest right one", (id, suggestion) => {
    const error = refusal(() => parseChoice(id, "x", "profile p"));
    expect(error.code).toBe("unknown-choice");
    expect(error.message).toBe(`profile p: there is no choice "${id}".${suggestion}`);
    expect(error.hint).toContain("app-sim choices");
  });
});

describe("parseChooseFlag", () => {
  it.each<[string, unknown]>([
    ["guard.jwt.algorithm=HS512", "HS512"],
    ["guard.jwt.lifetime=60", 60],
    ["webhook.retries=0", 0],
    ["guard.owner.exempt=false", false],
    ['guard.jwt.claims={"drop":["aud"]}', { drop: ["aud"] }],
    ["wire.jobType=42", "42"],
    ["wire.jobType=true", "true"],
    ["webhook.signature.prefix=sha256=", "sha256="],
    ["webhook.signature.prefix=", ""],
  ])("reads the value of %s in the type of the choice", (text, value) => {
    expect(Object.values(parseChooseFlag(text, "flag --choose"))).toEqual([value]);
  });

  it.each(["guard.jwt.algorithm", "", "=HS512"])("refuses %j, which is not id=value", (text) => {
    const error = refusal(() => parseChooseFlag(text, "env APP_SIM_CHOOSE"));
    expect(error.code).toBe("choose-syntax");
    expect(error.message).toBe(`env APP_SIM_CHOOSE: expected id=value, not ${JSON.stringify(text)}`);
    expect(error.hint).toContain("guard.jwt.algorithm=HS512");
  });

  it.each([
    ["guard.jwt.lifetime=long", 'flag --choose: guard.jwt.lifetime cannot be "long".', "1 to 86400 (seconds)"],
    ["guard.jwt.lifetime=0", "flag --choose: guard.jwt.lifetime cannot be 0.", "1 to 86400 (seconds)"],
    [
      "limits.size=5GB",
      'flag --choose: limits.size cannot be "5GB". Did you mean "5MB"?',
      'allowed: "5MiB" (the default), 5MB, or a smaller number of bytes from 1024, for tests',
    ],
    ["limits.size=5", "flag --choose: limits.size cannot be 5.", "a smaller number of bytes from 1024"],
    ["jwt.algorithm=HS256", 'flag --choose: there is no choice "jwt.algorithm".', "app-sim choices"],
  ])("refuses %s", (text, message, hint) => {
    const error = refusal(() => parseChooseFlag(text, "flag --choose"));
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  it.each([
    'guard.jwt.claims={"add":{"__proto__":{"a":1}}}',
    `guard.jwt.claims=${'{"add":'.repeat(50_000)}`,
    `guard.jwt.lifetime=${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ])("S24: refuses a hostile value in one line (%#)", (text) => {
    const error = refusal(() => parseChooseFlag(text, "flag --choose"));
    expect(error.code).toBe("choice-invalid");
    expect(error.message.length).toBeLessThan(150);
  });

  it("reads every default that is written out", () => {
    for (const id of choiceIds) {
      const value = defaultChoices[id];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      expect(parseChooseFlag(`${id}=${text}`, "x")).toEqual({ [id]: value });
    }
  });

  it("either gives a value that the choice allows or refuses with a hint", () => {
    const text = fc.oneof(fc.string(), fc.json(), fc.nat().map(String));
    fc.assert(
      fc.property(fc.constantFrom(...choiceIds), text, (id, value) => {
        let chosen: unknown;
        try {
          chosen = parseChooseFlag(`${id}=${value}`, "x")[id];
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          expect((error as UsageError).hint).not.toBe("");
          return;
        }
        expect(choiceDefinitions[id].schema().safeParse(chosen).success).toBe(true);
      }),
    );
  });
});

describe("readChoices", () => {
  it("remembers what was read, once each, in the order of the definitions", () => {
    const reader = readChoices({ ...defaultChoices, "webhook.retries": 3 });
    expect(reader.used()).toEqual([]);
    expect(reader.get("webhook.retries")).toBe(3);
    expect(reader.get("guard.jwt.algorithm")).toBe("HS256");
    reader.get("webhook.retries");
    expect(reader.used()).toEqual(["guard.jwt.algorithm", "webhook.retries"]);
  });

  it("keeps two readers of the same choices apart", () => {
    const [one, other] = [readChoices(defaultChoices), readChoices(defaultChoices)];
    one.get("limits.size");
    expect(other.used()).toEqual([]);
  });
});
