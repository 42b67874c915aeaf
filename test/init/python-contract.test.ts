import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { initResultSchema } from "../../src/init/init-result.ts";
import { ROOT } from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { hasPython } from "../rig/python-receiver.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const FILE = "tests/test_app_sim.py";

async function initIn(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const directory = makeTempDir();
  for (const [name, content] of Object.entries(files)) directory.write(name, content);
  // No app runs there: init would ask it, and propose what it finds.
  const env = { APP_SIM_APP: `http://127.0.0.1:${await unusedPort()}` };
  const { stdout } = await runLine(["init", "--yes", "--format", "json"], { cwd: directory.path, env });
  const written = initResultSchema.parse(onlyObject(stdout)).files.map(({ file }) => file);
  expect(written).toContain(FILE);
  return directory;
}

const contractIn = ({ path }: TempDir) => readFileSync(join(path, FILE), "utf8");

describe("the contract test of an app in Python", () => {
  test.each([
    ["Flask that its source starts", { "app.py": "app.run(port=5050)\n" }, '[sys.executable, "app.py"]'],
    ["Flask", { "app.py": "" }, '[sys.executable, "-m", "flask", "run"]'],
    ["no framework", { "requirements.txt": "requests\n" }, "[]"],
  ])("starts the app with the Python of the tests: %s", async (_, files, start) => {
    using directory = await initIn({ "requirements.txt": "flask\n", ...files });
    expect(contractIn(directory)).toContain(`\nSTART = ${start}\n`);
    expect(contractIn(directory)).toMatch(/^"""Every check .*: pytest, or python tests\/test_app_sim\.py\n/);
  });

  describe.skipIf(!hasPython)("run by unittest", () => {
    /** How the contract test ends, with app-sim among the packages of the folder. */
    async function run(directory: TempDir, port: number) {
      mkdirSync(join(directory.path, "node_modules/.bin"), { recursive: true });
      symlinkSync(join(ROOT, "bin/app-sim.js"), join(directory.path, "node_modules/.bin/app-sim"));
      writeFileSync(
        join(directory.path, FILE),
        contractIn(directory).replace(/^START = .*$/m, 'START = [sys.executable, "app.py"]'),
      );
      const platform = await unusedPort();
      const { PATH, HOME } = process.env;
      const variables = { PORT: String(port), APP_SIM_APP: `http://127.0.0.1:${port}`, APP_SIM_PORT: String(platform) };
      const { status, stderr } = spawnSync("python3", [FILE, "-v"], {
        cwd: directory.path,
        env: { PATH, HOME, ...variables },
        encoding: "utf8",
      });
      const failed = [...stderr.matchAll(/^(?:FAIL|ERROR): (\w+)/gm)].map(([, name]) => name);
      return { status, stderr, failed };
    }

    const source = readFileSync(join(ROOT, "examples/python-contract/app.py"), "utf8");

    test("a failed check is a separate failed test, with the answer; all others pass or are skipped", async () => {
      const edited = source.replace(' or claims["exp"] <= now - TOLERANCE_SECONDS', "");
      expect(edited).not.toBe(source);
      using directory = await initIn({ "requirements.txt": "requests\n", "app.py": edited });
      const port = await unusedPort();
      const { status, stderr, failed } = await run(directory, port);
      expect([status, failed], stderr).toEqual([
        1,
        ["test_guard_token_expired", "test_guard_token_expired_long_ago", "test_guard_token_expired_weeks_ago"],
      ]);
      expect(stderr).toContain("AssertionError: the app answered 200 with success: true\n");
      expect(stderr).toMatch(/^guard\.token\.alg-none: .* \.\.\. ok$/m);
      expect(stderr).toMatch(/^import\.\S+: .* \.\.\. skipped '/m);
      // What the test started has ended.
      await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    });

    test("without app-sim, one test fails and says so", async () => {
      using directory = await initIn({ "requirements.txt": "requests\n" });
      const { status, stderr } = spawnSync("python3", [FILE], {
        cwd: directory.path,
        env: { PATH: process.env.PATH },
        encoding: "utf8",
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^RuntimeError: app-sim is not installed in .*: npm install --no-save FILE$/m);
      expect(stderr).toContain("Ran 1 test in");
    });

    test("if the app does not start, one test fails and says so, and the others are skipped", async () => {
      using directory = await initIn({ "requirements.txt": "requests\n" });
      const contract = contractIn(directory).replace(/^START = .*$/m, 'START = ["nosuch-program"]');
      const listed = '{"checks":[{"id":"a.b","title":"","isSlow":false,"isRandom":false}]}';
      const stub = directory.write(
        "node_modules/.bin/app-sim",
        `#!/bin/sh\n[ $1 = env ] && echo {} || echo '${listed}'\n`,
      );
      chmodSync(stub, 0o755);
      writeFileSync(join(directory.path, FILE), contract);
      const { PATH } = process.env;
      const { status, stderr } = spawnSync("python3", [FILE, "-v"], {
        cwd: directory.path,
        env: { PATH },
        encoding: "utf8",
      });
      expect(status, stderr).toBe(1);
      expect(stderr.match(/nosuch-program/g)?.length, stderr).toBeLessThanOrEqual(2);
      expect(stderr).toMatch(/FAILED \(errors=1, skipped=1\)/);
    });
  });
});
