import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { listeningSockets } from "../app-client/listener.ts";
import { harmlessLine } from "../protocol/harmless.ts";

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number;
  /** Its command line. */
  readonly argv: readonly string[];
  /** Its working directory. */
  readonly cwd: string;
}

/**
 * The process that listens on a port of this machine; null if unknown: only Linux reports it, and only for the user's
 * own processes.
 */
export async function findPortHolder(port: number): Promise<PortHolder | null> {
  const sockets = await listeningSockets(port);
  if (sockets.length === 0) return null;
  for (const pid of (await entriesOf("/proc")).filter((name) => /^\d+$/.test(name))) {
    const own = `/proc/${pid}`;
    for (const descriptor of await entriesOf(`${own}/fd`)) {
      const open = await stat(`${own}/fd/${descriptor}`).catch(() => null);
      if (open?.isSocket() !== true || !sockets.includes(String(open.ino))) continue;
      const [argv, cwd] = await Promise.all([
        readFile(`${own}/cmdline`, "utf8").catch(() => ""),
        realpath(`${own}/cwd`).catch(() => ""),
      ]);
      return { pid: Number(pid), argv: argv.split("\0").filter((word) => word !== ""), cwd };
    }
  }
  return null;
}

function entriesOf(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** A message about the holder of a port, and what to do. */
interface HolderWords {
  readonly message: string;
  readonly hint: string;
}

/**
 * The message if a port is taken, but not by a platform of this folder.
 * @param holder null if unknown
 * @param otherPort what the hint says about another port
 */
export function holderWords(port: number, holder: PortHolder | null, otherPort: string): HolderWords {
  if (holder === null) {
    const hint = `end the other program; if it is an app-sim started in another folder, run this command there; or ${otherPort}`;
    return { message: `port ${port} of 127.0.0.1 is taken`, hint };
  }
  const { pid, argv, cwd } = holder;
  const command = servingCommandOf(argv);
  const where = harmlessLine(cwd);
  if (command === null) return { message: takenText(port, holder), hint: `end that program, or ${otherPort}` };
  return {
    message: `app-sim ${command}, started in another folder, ${where} (process ${pid}), uses port ${port}; commands find its platform only in that folder`,
    hint: `run commands for that platform in ${where}; or end it; or ${otherPort}`,
  };
}

/** Who uses a port, in a sentence. */
export function takenText(port: number, { pid, argv, cwd }: PortHolder): string {
  const command = servingCommandOf(argv);
  const program = harmlessLine(argv[0]?.split("/").at(-1) ?? "another program");
  const name = command === null ? program : `app-sim ${command}`;
  return `port ${port} of 127.0.0.1 is taken by ${name} (process ${pid}, in ${harmlessLine(cwd)})`;
}

/** The command with which app-sim runs a platform; null for another program. */
function servingCommandOf(argv: readonly string[]): string | null {
  const program = argv.findIndex((word) => /(?:^|\/)app-sim(?:\.js)?$/.test(word));
  const command = argv.slice(program + 1).find((word) => /^(?:serve|dev|exec)$/.test(word));
  return program < 0 ? null : (command ?? null);
}
