import path from "node:path";

type Paths = Pick<path.PlatformPath, "isAbsolute" | "relative" | "sep">;

/** Whether a place is a folder or below it; both are absolute. */
export function liesWithin(place: string, folder: string, paths: Paths = path): boolean {
  const relative = paths.relative(folder, place);
  const isAbove = relative === ".." || relative.startsWith(`..${paths.sep}`);
  // On Windows, the path to another drive is absolute.
  return !isAbove && !paths.isAbsolute(relative);
}

/** The path from a folder to a file as project files write it: with slashes, even on Windows. */
export function wayTo(file: string, folder: string, paths: Paths = path): string {
  return withSlashes(paths.relative(folder, file), paths);
}

/** A path with slashes, even on Windows. */
export function withSlashes(file: string, { sep }: Pick<Paths, "sep"> = path): string {
  return file.split(sep).join("/");
}
