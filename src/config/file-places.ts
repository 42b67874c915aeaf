import path from "node:path";

type Paths = Pick<path.PlatformPath, "isAbsolute" | "relative" | "sep">;

/** Whether a place is a folder or below it; both are absolute. */
export function liesWithin(place: string, folder: string, paths: Paths = path): boolean {
  const relative = paths.relative(folder, place);
  const isAbove = relative === ".." || relative.startsWith(`..${paths.sep}`);
  // On Windows, the way to another drive is absolute.
  return !isAbove && !paths.isAbsolute(relative);
}

/** The way from a folder to a file as it is written in files of a project: with slashes, on Windows as well. */
export function wayTo(file: string, folder: string, paths: Paths = path): string {
  return withSlashes(paths.relative(folder, file), paths);
}

/** A path with slashes, on Windows as well. */
export function withSlashes(file: string, { sep }: Pick<Paths, "sep"> = path): string {
  return file.split(sep).join("/");
}
