import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { listeningSockets } from "../app-client/listener.ts";
import { harmlessLine } from "../protocol/harmless.ts";

/** A process that listens at a port. */
export interface PortHolder {
  readonly pid: number;
  /** Its command line. */
  readonly argv: readonly string[];
  /** Where it runs. */
  readonly cwd: string;
}

/** Who listens at a port of this machine; null where the system does not tell: only Linux does, of the user's own processes. */
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

/** What has the port, and what to do about it. */
interface HolderWords {
  readonly message: string;
  readonly hint: string;
}

/**
 * Says who has a port that no platform of this folder has.
 * @param holder null: it is not known
 * @param otherPort what the hint says of another port
 */
export function holderWords(port: number, holder: PortHolder | null, otherPort: string): HolderWords {
  if (holder === null) {
    const hint = `end the other program; if it is app-sim of another folder, run this command there; or ${otherPort}`;
    return { message: `port ${port} of 127.0.0.1 is taken`, hint };
  }
  const { pid, argv, cwd } = holder;
  const command = servingCommandOf(argv);
  const where = harmlessLine(cwd);
  if (command === null) return { message: takenText(port, holder), hint: `end that program, or ${otherPort}` };
  return {
    message: `app-sim ${command} of another folder, ${where} (process ${pid}), has port ${port}; commands find its platform only there`,
    hint: `run the commands that are to use that platform in ${where}; or end it; or ${otherPort}`,
  };
}

/** Who has a port, in a sentence. */
export function takenText(port: number, { pid, argv, cwd }: PortHolder): string {
  const command = servingCommandOf(argv);
  const program = harmlessLine(argv[0]?.split("/").at(-1) ?? "another program");
  const name = command === null ? program : `app-sim ${command}`;
  return `port ${port} of 127.0.0.1 is taken by ${name} (process ${pid}, in ${harmlessLine(cwd)})`;
}

/** The command with which app-sim keeps a platform up; null: it is another program. */
function servingCommandOf(argv: readonly string[]): string | null {
  const program = argv.findIndex((word) => /(?:^|\/)app-sim(?:\.js)?$/.test(word));
  const command = argv.slice(program + 1).find((word) => /^(?:serve|dev|exec)$/.test(word));
  return program < 0 ? null : (command ?? null);
}
