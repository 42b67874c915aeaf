import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type VerifierLanguage, verifierLanguages } from "../../src/platform/verifier-language.ts";
import { type SignatureScheme, signatureHeaders } from "../../src/webhook/rules/signature.ts";
import { verifiersFor } from "../../src/webhook/verifiers.ts";
import { hasTools } from "../rig/has-tools.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const secret = "app-sécret/🔑";
const hostilePrefix = String.raw`v1 "'\u0022\'#{x}$x%s=`;
const schemes: SignatureScheme[] = (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
  ["", "sha256=", hostilePrefix].flatMap((prefix) =>
    [null, "X-Platform-Timestamp"].map((timestampHeader) => ({
      header: "X-Platform-Signature",
      encoding,
      prefix,
      timestampHeader,
    })),
  ),
);

/** One call of `verify`: null is a header that is missing. */
interface Case {
  readonly name: string;
  readonly scheme: number;
  readonly body: Buffer;
  readonly timestamp: string | null;
  readonly signature: string | null;
  readonly accepted: boolean;
}

const bodies: [name: string, body: Buffer][] = [
  ["awkward JSON", Buffer.from('{"events":[{"event":"é 👩‍👧 \u2028 \\u00e9 https:\\/\\/x/"}]}\r\n')],
  ["bytes that are no UTF-8, with a NUL", Buffer.from([0xff, 0xc3, 0x28, 0x00, 0xed, 0xa0, 0x80, 0x0a])],
  ["nothing", Buffer.alloc(0)],
];

const now = Math.floor(Date.now() / 1000);

function casesOf(scheme: SignatureScheme, index: number): Case[] {
  const signed = (body: Buffer, time = now, key = secret) =>
    signatureHeaders(scheme, key, { body, now: time, id: "d1" }).find(([name]) => name === scheme.header)?.[1] ?? "";
  const base = { scheme: index, timestamp: scheme.timestampHeader === null ? null : String(now) };
  const right = bodies.map(([name, body]) => ({ ...base, name, body, signature: signed(body), accepted: true }));
  const [first] = right;
  if (first === undefined) throw new Error("no body");
  const { body, signature } = first;
  const last = signature.at(-1) === "A" ? "B" : "A";
  const otherCase = signature
    .slice(scheme.prefix.length)
    .replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
  const wrong: [string, Partial<Case>][] = [
    ["a tampered body", { body: Buffer.concat([body, Buffer.from(" ")]) }],
    ["no body", { body: Buffer.alloc(0) }],
    ["a tampered signature", { signature: signature.slice(0, -1) + last }],
    ["another secret", { signature: signed(body, now, "another") }],
    ["no signature", { signature: null }],
    ["an empty signature", { signature: "" }],
    ["a truncated signature", { signature: signature.slice(0, -1) }],
    ["a signature with more behind it", { signature: `${signature}0` }],
    ["the other case", { signature: scheme.prefix + otherCase }],
    ["the prefix alone, or one too many", { signature: scheme.prefix || `sha256=${signature}` }],
    ["no ASCII", { signature: "é🔑".repeat(20) }],
    ["no ASCII of the same length", { signature: "é".repeat(signature.length) }],
  ];
  const old = now - 1000;
  const wrongTimes: [string, Partial<Case>][] =
    scheme.timestampHeader === null
      ? []
      : [
          ["an old timestamp", { timestamp: String(old), signature: signed(body, old) }],
          ["a timestamp of the future", { timestamp: String(now + 1000), signature: signed(body, now + 1000) }],
          ["another timestamp", { timestamp: String(now + 1) }],
          ["no timestamp", { timestamp: null }],
          ["an empty timestamp", { timestamp: "" }],
          ["a timestamp that is no number", { timestamp: "é🔑" }],
          ["a timestamp of many digits", { timestamp: "9".repeat(400) }],
          ["a negative timestamp of many digits", { timestamp: `-${"9".repeat(19)}` }],
        ];
  return [...right, ...[...wrong, ...wrongTimes].map(([name, but]) => ({ ...first, ...but, name, accepted: false }))];
}

const cases = schemes.flatMap(casesOf);

/** What each program reads: the number of the scheme, then body, timestamp, signature and secret, `-` where missing. */
const input = cases
  .map(({ scheme, body, timestamp, signature }) => {
    const text = (value: string | null) => (value === null ? "-" : `=${Buffer.from(value).toString("base64")}`);
    return [scheme, `=${body.toString("base64")}`, text(timestamp), text(signature), text(secret)].join(" ");
  })
  .join("\n");

/** How the verifiers of a language are run: each in a place of its own, all by one program. */
interface Runner {
  /** Every one of them has to be there. */
  readonly tools: readonly string[];
  /** Writes the files of the verifiers and of the program, and gives the commands that build and run it. */
  readonly prepare: (directory: TempDir, codes: readonly string[]) => readonly (readonly string[])[];
}

const isTimed = (index: number) => schemes[index]?.timestampHeader !== null;
const args = (index: number, timestamp: string, separator = ", ") =>
  ["body", ...(isTimed(index) ? [timestamp] : []), "signature", "secret"].join(separator);
const each = (line: (index: number) => string) => schemes.map((_, index) => line(index)).join("\n");

const runners: Readonly<Record<VerifierLanguage, Runner>> = {
  node: {
    tools: ["node"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) directory.write(`v${index}.mjs`, code);
      directory.write(
        "main.mjs",
        `import { readFileSync } from "node:fs";
const bytes = (field) => field === "-" ? undefined : Buffer.from(field.slice(1), "base64");
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const [scheme, ...fields] = line.split(" ");
  const [body, timestamp, signature, secret] = fields.map(bytes);
  const { verify } = await import("./v" + scheme + ".mjs");
  const given = verify.length === 4 ? [body, timestamp?.toString(), signature?.toString()] : [body, signature?.toString()];
  console.log(verify(...given, secret.toString()));
}`,
      );
      return [["node", "main.mjs"]];
    },
  },
  python: {
    tools: ["python3"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) directory.write(`v${index}.py`, code);
      directory.write(
        "main.py",
        `import base64, importlib, sys
def data(field): return None if field == "-" else base64.b64decode(field[1:])
def text(field): return None if field == "-" else data(field).decode()
for line in sys.stdin:
    scheme, body, timestamp, signature, secret = line.split()
    verify = importlib.import_module("v" + scheme).verify
    times = [text(timestamp)] if verify.__code__.co_argcount == 4 else []
    print(str(verify(data(body), *times, text(signature), text(secret))).lower())
`,
      );
      return [["python3", "-B", "main.py"]];
    },
  },
  php: {
    tools: ["php"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries())
        directory.write(`v${index}.php`, `<?php\nnamespace V${index};\n${code}\n`);
      directory.write(
        "main.php",
        `<?php
error_reporting(E_ALL);
set_error_handler(function ($level, $message) { throw new ErrorException($message); });
function text($field) { return $field === '-' ? null : base64_decode(substr($field, 1)); }
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$scheme, $body, $timestamp, $signature, $secret] = explode(' ', $line);
    require_once __DIR__ . "/v$scheme.php";
    $verify = "\\\\V$scheme\\\\verify";
    $times = (new ReflectionFunction($verify))->getNumberOfParameters() === 4 ? [text($timestamp)] : [];
    echo json_encode($verify(text($body), ...$times, ...[text($signature), text($secret)])), "\\n";
}`,
      );
      return [["php", "main.php"]];
    },
  },
  go: {
    tools: ["go"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) {
        directory.write(`v${index}.go`, `package main\n\n${code.replace("func verify(", `func verify${index}(`)}\n`);
      }
      directory.write("go.mod", "module verifiers\n\ngo 1.19\n");
      directory.write(
        "main.go",
        `package main
import ("bufio"; "encoding/base64"; "fmt"; "os"; "strings")
func data(field string) []byte {
	if field == "-" { return nil }
	bytes, err := base64.StdEncoding.DecodeString(field[1:])
	if err != nil { panic(err) }
	return bytes
}
func check(scheme string, body []byte, timestamp, signature, secret string) bool {
	switch scheme {
${each((index) => `\tcase "${index}": return verify${index}(${args(index, "timestamp")})`)}
	}
	panic(scheme)
}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), " ")
		fmt.Println(check(fields[0], data(fields[1]), string(data(fields[2])), string(data(fields[3])), string(data(fields[4]))))
	}
}
`,
      );
      return [
        ["go", "vet", "."],
        ["go", "run", "."],
      ];
    },
  },
  ruby: {
    tools: ["ruby"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) directory.write(`v${index}.rb`, code);
      directory.write(
        "main.rb",
        `def text(field) = field == "-" ? nil : field[1..].unpack1("m0").force_encoding("UTF-8")
places = Hash.new { |all, scheme| all[scheme] = Object.new.tap { |place| place.instance_eval(File.read("v#{scheme}.rb")) } }
STDIN.each_line(chomp: true) do |line|
  scheme, body, timestamp, signature, secret = line.split(" ")
  verify = places[scheme].method(:verify)
  times = verify.arity == 4 ? [text(timestamp)] : []
  puts verify.call(text(body).b, *times, text(signature), text(secret))
end
`,
      );
      return [["ruby", "-w", "-EUTF-8", "main.rb"]];
    },
  },
  java: {
    tools: ["java", "javac"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) {
        directory.write(`v${index}/WebhookSignature.java`, `package v${index};\n${code}\n`);
      }
      directory.write(
        "Main.java",
        `import static java.nio.charset.StandardCharsets.UTF_8;
import java.io.*;
import java.util.Base64;
class Main {
    static byte[] data(String field) { return field.equals("-") ? null : Base64.getDecoder().decode(field.substring(1)); }
    static String text(String field) { return field.equals("-") ? null : new String(data(field), UTF_8); }
    static boolean check(String scheme, byte[] body, String timestamp, String signature, String secret) throws Exception {
        switch (scheme) {
${each((index) => `            case "${index}": return v${index}.WebhookSignature.verify(${args(index, "timestamp")});`)}
            default: throw new Error(scheme);
        }
    }
    public static void main(String[] none) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] fields = line.split(" ");
            System.out.println(check(fields[0], data(fields[1]), text(fields[2]), text(fields[3]), text(fields[4])));
        }
    }
}
`,
      );
      return [
        ["javac", "-encoding", "UTF-8", "-Werror", "-Xlint:all", "Main.java"],
        ["java", "-cp", ".", "Main"],
      ];
    },
  },
  csharp: {
    tools: ["mcs", "mono"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries())
        directory.write(`v${index}.cs`, `namespace V${index}\n{\n${code}\n}\n`);
      directory.write(
        "Main.cs",
        `using System;
using System.Text;
static class Program
{
    static byte[] Data(string field) { return field == "-" ? null : Convert.FromBase64String(field.Substring(1)); }
    static string Text(string field) { return field == "-" ? null : Encoding.UTF8.GetString(Data(field)); }
    static bool Check(string scheme, byte[] body, string timestamp, string signature, string secret)
    {
        switch (scheme)
        {
${each((index) => `            case "${index}": return V${index}.WebhookSignature.Verify(${args(index, "timestamp")});`)}
            default: throw new Exception(scheme);
        }
    }
    static void Main()
    {
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] fields = line.Split(' ');
            Console.WriteLine(Check(fields[0], Data(fields[1]), Text(fields[2]), Text(fields[3]), Text(fields[4])) ? "true" : "false");
        }
    }
}
`,
      );
      const files = codes.map((_, index) => `v${index}.cs`);
      return [
        ["mcs", "-out:verifiers.exe", "Main.cs", ...files],
        ["mono", "verifiers.exe"],
      ];
    },
  },
};

/** Kept from run to run: Go compiles its standard library only once then. */
const goCache = join(tmpdir(), "app-sim-test-go-cache");

/** Runs the commands in the directory, the last one with the cases as its input, and gives what that one prints. */
function runAll(commands: readonly (readonly string[])[], directory: string): string[] {
  mkdirSync(goCache, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: directory, GOCACHE: goCache, GOFLAGS: "-mod=mod" };
  const outputs = commands.map(([command = "", ...parameters]) =>
    execFileSync(command, parameters, { cwd: directory, env, input, encoding: "utf8" }),
  );
  return (outputs.at(-1) ?? "").trimEnd().split("\n");
}

describe("2.6, 5.1 code that verifies a delivery accepts the true signature and refuses all others", () => {
  for (const language of verifierLanguages) {
    const { tools, prepare } = runners[language];
    test.skipIf(!hasTools(...tools))(`in ${language}`, async () => {
      using directory = makeTempDir();
      const verifiers = await Promise.all(schemes.map(verifiersFor));
      const codes = verifiers.flatMap((each) => each.filter((one) => one.language === language));
      const commands = prepare(
        directory,
        codes.map(({ code }) => code),
      );
      const verdicts = runAll(commands, directory.path);
      const named = cases.map(({ scheme, name }, index) => `${scheme} ${name}: ${verdicts[index]}`);
      expect(named).toEqual(cases.map(({ scheme, name, accepted }) => `${scheme} ${name}: ${accepted}`));
    });
  }
});
