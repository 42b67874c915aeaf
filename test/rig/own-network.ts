import { execFile, execFileSync } from "node:child_process";
import { makeTempDir } from "./temp-dir.ts";

/** Whether this user may have a network of its own here. */
export function canHaveNetwork(): boolean {
  try {
    execFileSync("unshare", ["-rnm", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a script of Node in a network of its own, in which these addresses are this machine and these names are theirs:
 * what it sends to them never leaves. Resolves with what it prints, which is JSON.
 */
export function runInOwnNetwork(
  script: string,
  names: Readonly<Record<string, string>>,
  input: unknown,
): Promise<never> {
  const directory = makeTempDir();
  const hosts = Object.entries({ localhost: "127.0.0.1", ...names }).map(([name, address]) => `${address} ${name}`);
  const file = directory.write("hosts", `${hosts.join("\n")}\n`);
  const lines = [
    "set -e",
    "ip link set lo up",
    ...[...new Set(Object.values(names))].map((address) => `ip addr add ${address} dev lo`),
    'mount --bind "$1" /etc/hosts',
    'exec "$2" "$3" "$4"',
  ];
  const args = [lines.join("\n"), "sh", file, process.execPath, script, JSON.stringify(input)];
  return new Promise<never>((resolve, reject) => {
    execFile("unshare", ["-rnm", "sh", "-c", ...args], (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as never);
      else reject(new Error(stderr));
    });
  }).finally(() => directory[Symbol.dispose]());
}
