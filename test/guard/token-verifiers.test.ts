import { execFileSync } from "node:child_process";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { exportJWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { type TokenScheme, tokenVerifiers } from "../../src/guard/explain/token-verifiers.ts";
import { type VerifierLanguage, verifierLanguages } from "../../src/platform/verifier-language.ts";
import { hasTools } from "../rig/has-tools.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const secret = "app-sécret/🔑";
const clientId = "client-é";
const now = Math.floor(Date.now() / 1000);

const base = { clientId: "CLIENT_ID", secret: "SECRET", keysUrl: "http://127.0.0.1:9/keys" };
const schemes: TokenScheme[] = [
  { ...base, algorithm: "HS256", audience: "aud", expiry: "exp" },
  { ...base, algorithm: "HS384", audience: "aud", expiry: "exp" },
  { ...base, algorithm: "HS512", audience: "client", expiry: "exp" },
  { ...base, algorithm: "HS256", audience: null, expiry: null },
];

interface Case {
  readonly name: string;
  readonly scheme: number;
  /** The header Authorization; null: it is missing. */
  readonly authorization: string | null;
  readonly accepted: boolean;
}

const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function signed(
  algorithm: string,
  claims: unknown,
  { key = secret, header = {} as object, alg = algorithm } = {},
): string {
  const text = `${part({ alg, typ: "JWT", ...header })}.${part(claims)}`;
  return `${text}.${createHmac(`sha${algorithm.slice(2)}`, key)
    .update(text)
    .digest("base64url")}`;
}

function casesOf({ algorithm, audience, expiry }: TokenScheme, scheme: number): Case[] {
  const claims = {
    ...(audience === null ? {} : { [audience]: clientId }),
    ...(expiry === null ? {} : { [expiry]: now + 900 }),
    sub: "104",
    context: { user_login: "é 👩‍👧" },
  };
  const right = signed(algorithm, claims);
  const [header = "", payload = "", signature = ""] = right.split(".");
  const longer = algorithm === "HS512" ? "HS256" : "HS512";
  const accepted: [string, string][] = [
    ["the true one", `Bearer ${right}`],
    ["bearer in lower case", `bearer ${right}`],
    ["nbf in the past", `Bearer ${signed(algorithm, { ...claims, nbf: now - 1 })}`],
    ["nbf by a clock that is ahead", `Bearer ${signed(algorithm, { ...claims, nbf: now + 3 })}`],
  ];
  const last = signature.at(-1) === "A" ? "Q" : "A";
  const refused: [string, string | null][] = [
    ["no header", null],
    ["an empty header", ""],
    ["no token", "Bearer "],
    ["Basic", "Basic YTpi"],
    ["no Bearer", right],
    ["another scheme", `Token ${right}`],
    ["no JWT", "Bearer x"],
    ["no ASCII", "Bearer é.é.é"],
    ["three parts that are not a JWT", "Bearer a.b.c"],
    ["three empty parts", "Bearer .."],
    ["two parts", `Bearer ${header}.${payload}`],
    ["four parts", `Bearer ${right}.x`],
    ["something behind it", `Bearer ${right} x`],
    ["an empty signature", `Bearer ${header}.${payload}.`],
    ["a signature cut short", `Bearer ${right.slice(0, -2)}`],
    ["a longer signature", `Bearer ${right}A`],
    ["another last letter", `Bearer ${right.slice(0, -1)}${last}`],
    ["padding", `Bearer ${right}=`],
    ["another secret", `Bearer ${signed(algorithm, claims, { key: "another" })}`],
    ["other claims", `Bearer ${header}.${part({ ...claims, sub: "105" })}.${signature}`],
    ["alg none", `Bearer ${part({ alg: "none", typ: "JWT" })}.${payload}.`],
    ["alg none, signed", `Bearer ${signed(algorithm, claims, { alg: "none" })}`],
    ["another algorithm", `Bearer ${signed(longer, claims)}`],
    ["another algorithm in the header", `Bearer ${signed(algorithm, claims, { alg: longer })}`],
    ["crit", `Bearer ${signed(algorithm, claims, { header: { crit: ["x"], x: 1 } })}`],
    ["claims that are no object", `Bearer ${signed(algorithm, null)}`],
    ["claims that are no JSON", `Bearer ${signed(algorithm, "{")}`],
    ["valid only later", `Bearer ${signed(algorithm, { ...claims, nbf: now + 61 })}`],
    ...(audience === null
      ? []
      : ([
          ["another app", { ...claims, [audience]: `${clientId}-other` }],
          ["no audience", { ...claims, [audience]: undefined }],
          ["a number as audience", { ...claims, [audience]: 1 }],
        ].map(([name, changed]) => [name, `Bearer ${signed(algorithm, changed)}`]) as [string, string][])),
    ...(expiry === null
      ? []
      : ([
          ["expired", { ...claims, [expiry]: now - 61 }],
          ["no expiry", { ...claims, [expiry]: undefined }],
          ["a text as expiry", { ...claims, [expiry]: "never" }],
          ["a number in a text as expiry", { ...claims, [expiry]: String(now + 900) }],
          ["null as expiry", { ...claims, [expiry]: null }],
        ].map(([name, changed]) => [name, `Bearer ${signed(algorithm, changed)}`]) as [string, string][])),
  ];
  return [
    ...accepted.map(([name, authorization]) => ({ name, scheme, authorization, accepted: true })),
    ...refused.map(([name, authorization]) => ({ name, scheme, authorization, accepted: false })),
  ];
}

const cases = schemes.flatMap(casesOf);

/** What each program reads: the number of the scheme and the header, `-` where it is missing. */
const input = cases
  .map(({ scheme, authorization }) => {
    const text = authorization === null ? "-" : `=${Buffer.from(authorization).toString("base64")}`;
    return `${scheme} ${text}`;
  })
  .join("\n");

/** How the verifiers of a language are run: each in a place of its own, all by one program. */
interface Runner {
  /** Every one of them has to be there. */
  readonly tools: readonly string[];
  readonly files?: readonly string[];
  /** Writes the files of the verifiers and of the program, and gives the commands that build and run it. */
  readonly prepare: (directory: TempDir, codes: readonly string[]) => readonly (readonly string[])[];
}

const each = (line: (index: number) => string) => schemes.map((_, index) => line(index)).join("\n");
const jackson = ["databind", "core", "annotations"].map((name) => `/usr/share/java/jackson-${name}.jar`);

const runners: Readonly<Record<VerifierLanguage, Runner>> = {
  node: {
    tools: ["node"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) directory.write(`v${index}.mjs`, code);
      directory.write(
        "main.mjs",
        `import { readFileSync } from "node:fs";
for (const line of readFileSync(0, "utf8").split("\\n")) {
  const [scheme, field] = line.split(" ");
  const { verify } = await import("./v" + scheme + ".mjs");
  const header = field === "-" ? undefined : Buffer.from(field.slice(1), "base64").toString();
  const claims = verify(header, ${JSON.stringify(clientId)}, ${JSON.stringify(secret)});
  console.log(claims !== null && claims.sub === "104");
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
for line in sys.stdin:
    scheme, field = line.split()
    verify = importlib.import_module("v" + scheme).verify
    header = None if field == "-" else base64.b64decode(field[1:]).decode()
    claims = verify(header, ${JSON.stringify(clientId)}, "${secret}")
    print(str(claims is not None and claims["sub"] == "104").lower())
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
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$scheme, $field] = explode(' ', $line);
    require_once __DIR__ . "/v$scheme.php";
    $verify = "\\\\V$scheme\\\\verify";
    $claims = $verify($field === '-' ? null : base64_decode(substr($field, 1)), '${clientId}', '${secret}');
    echo json_encode($claims !== null && $claims['sub'] === '104'), "\\n";
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
func check(scheme, header string) map[string]any {
	switch scheme {
${each((index) => `\tcase "${index}": return verify${index}(header, "${clientId}", "${secret}")`)}
	}
	panic(scheme)
}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), " ")
		header := ""
		if fields[1] != "-" {
			bytes, err := base64.StdEncoding.DecodeString(fields[1][1:])
			if err != nil { panic(err) }
			header = string(bytes)
		}
		fmt.Println(check(fields[0], header)["sub"] == "104")
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
        `places = Hash.new { |all, scheme| all[scheme] = Object.new.tap { |place| place.instance_eval(File.read("v#{scheme}.rb")) } }
STDIN.each_line(chomp: true) do |line|
  scheme, field = line.split(" ")
  header = field == "-" ? nil : field[1..].unpack1("m0").force_encoding("UTF-8")
  claims = places[scheme].method(:verify).call(header, "${clientId}", "${secret}")
  puts !claims.nil? && claims["sub"] == "104"
end
`,
      );
      return [["ruby", "-w", "-EUTF-8", "main.rb"]];
    },
  },
  java: {
    tools: ["java", "javac"],
    files: jackson,
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) {
        directory.write(`v${index}/PlatformToken.java`, `package v${index};\n${code}\n`);
      }
      directory.write(
        "Main.java",
        `import static java.nio.charset.StandardCharsets.UTF_8;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.*;
import java.util.Base64;
class Main {
    static JsonNode check(String scheme, String header) throws Exception {
        switch (scheme) {
${each((index) => `            case "${index}": return v${index}.PlatformToken.verify(header, "${clientId}", "${secret}");`)}
            default: throw new Error(scheme);
        }
    }
    public static void main(String[] none) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] fields = line.split(" ");
            String header = fields[1].equals("-") ? null : new String(Base64.getDecoder().decode(fields[1].substring(1)), UTF_8);
            JsonNode claims = check(fields[0], header);
            System.out.println(claims != null && claims.path("sub").asText().equals("104"));
        }
    }
}
`,
      );
      return [
        ["javac", "-encoding", "UTF-8", "-cp", jackson.join(":"), "-sourcepath", ".", "Main.java"],
        ["java", "-cp", [".", ...jackson].join(":"), "Main"],
      ];
    },
  },
  csharp: {
    // Mono's compiler has no System.Text.Json.
    tools: ["dotnet"],
    prepare(directory, codes) {
      for (const [index, code] of codes.entries()) {
        const [usings = "", rest = ""] = code.split(/\n\n(?=public)/);
        directory.write(`v${index}.cs`, `${usings}\nnamespace V${index};\n${rest}\n`);
      }
      const [version] = execFileSync("dotnet", ["--version"], { encoding: "utf8" }).split(".");
      directory.write(
        "verifiers.csproj",
        `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net${version}.0</TargetFramework></PropertyGroup></Project>`,
      );
      directory.write(
        "Main.cs",
        `using System;
using System.Text;
using System.Text.Json;
static class Program
{
    static JsonElement? Check(string scheme, string header)
    {
        switch (scheme)
        {
${each((index) => `            case "${index}": return V${index}.PlatformToken.Verify(header, "${clientId}", "${secret}");`)}
            default: throw new Exception(scheme);
        }
    }
    static void Main()
    {
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            string[] fields = line.Split(' ');
            string header = fields[1] == "-" ? null : Encoding.UTF8.GetString(Convert.FromBase64String(fields[1].Substring(1)));
            JsonElement? claims = Check(fields[0], header);
            Console.WriteLine(claims != null && claims.Value.GetProperty("sub").GetString() == "104" ? "true" : "false");
        }
    }
}
`,
      );
      return [["dotnet", "run"]];
    },
  },
};

/** Kept from run to run: Go compiles its standard library only once then. */
const goCache = path.join(tmpdir(), "app-sim-test-go-cache");

/** Runs the commands in the directory, the last one with the cases as its input, and gives what that one prints. */
function runAll(commands: readonly (readonly string[])[], directory: string): string[] {
  mkdirSync(goCache, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: directory, GOCACHE: goCache, GOFLAGS: "-mod=mod" };
  const outputs = commands.map(([command = "", ...parameters]) =>
    execFileSync(command, parameters, { cwd: directory, env, input, encoding: "utf8" }),
  );
  return (outputs.at(-1) ?? "").trimEnd().split("\n");
}

describe("5.1 code that verifies the token of a call accepts the true one and refuses all others", () => {
  for (const language of verifierLanguages) {
    const { tools, files = [], prepare } = runners[language];
    const isThere = hasTools(...tools) && files.every((file) => existsSync(file));
    test.skipIf(!isThere)(`in ${language}`, async () => {
      using directory = makeTempDir();
      const verifiers = await Promise.all(schemes.map(tokenVerifiers));
      const codes = verifiers.flatMap((some) => some.filter((one) => one.language === language));
      const commands = prepare(
        directory,
        codes.map(({ code }) => code),
      );
      const verdicts = runAll(commands, directory.path);
      const named = cases.map(({ scheme, name }, index) => `${scheme} ${name}: ${verdicts[index]}`);
      expect(named).toEqual(cases.map(({ scheme, name, accepted }) => `${scheme} ${name}: ${accepted}`));
    });
  }

  test("in node, with the platform's public keys", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify(keys));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const keysUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const verifiers = await tokenVerifiers({ ...base, algorithm: "ES256", audience: "aud", expiry: "exp", keysUrl });
    expect(verifiers.map(({ language }) => language)).toEqual(["node"]);
    using directory = makeTempDir();
    const file = directory.write("verifier.mjs", verifiers[0]?.code ?? "");
    const { verify } = (await import(file)) as { verify: (header: string, id: string) => Promise<unknown> };
    const make = (claims: Record<string, unknown>, key = privateKey) =>
      new SignJWT({ aud: clientId, exp: now + 900, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign(key);
    expect(await verify(`Bearer ${await make({ sub: "104" })}`, clientId)).toMatchObject({ sub: "104" });
    const forged = [
      await make({}, other),
      await make({ aud: "another" }),
      await make({ exp: now - 61 }),
      await make({ exp: undefined }),
      signed("HS256", { aud: clientId, exp: now + 900 }, { key: JSON.stringify(keys.keys[0]) }),
      "a.b.c",
    ];
    for (const token of forged) expect(await verify(`Bearer ${token}`, clientId)).toBeNull();
    server.close();
  });
});
