import { actionOfCommand } from "../actions.ts";
import { nearestName } from "../protocol/nearest.ts";

/**
 * The flag of a command that was written in another case, with other hyphens, or as the library's option; null if it is
 * none.
 */
export function flagSpelled(command: string, written: string): string | null {
  const { options = {}, command: definition } = actionOfCommand(command) ?? {};
  const named = Object.entries<{ readonly flag?: string }>({ ...options, ...definition?.flags });
  const meant = named.find(([name, { flag = "" }]) => [name, nameIn(flag)].some((own) => bare(own) === bare(written)));
  const flag = nameIn(meant?.[1].flag ?? "");
  // The library's option is the opposite of such a flag.
  return flag === "" || flag.startsWith("--no-") ? null : flag;
}

/** The flag whose name is in the written one, or almost the same; null if there is none. */
export function flagNear(command: string, flags: readonly string[], written: string): string | null {
  // The library's name shows where each word begins: ipAddress, for ipaddress.
  const named = Object.keys(actionOfCommand(command)?.options ?? {}).find((name) => bare(name) === bare(written));
  const name = nearestName(named ?? withoutHyphens(written), flags.map(withoutHyphens));
  return name === null ? null : `--${name}`;
}

function nameIn(flag: string): string {
  return flag.split(" ", 1)[0] ?? "";
}

function withoutHyphens(flag: string): string {
  return flag.replace(/^-+/, "").replace(/=.*/s, "");
}

function bare(name: string): string {
  return withoutHyphens(name).toLowerCase().replaceAll("-", "");
}
