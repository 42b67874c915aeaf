import path from "node:path";
import { describe, expect, it } from "vitest";
import { liesWithin, wayTo, withSlashes } from "../../src/config/file-places.ts";

describe("places of files", () => {
  it.each<[keyof Pick<typeof path, "win32" | "posix">, place: string, folder: string, isWithin: boolean]>([
    ["win32", "C:\\app\\jobs\\a.json", "C:\\app", true],
    ["win32", "c:\\App\\a.json", "C:\\app", true],
    ["win32", "C:\\app", "C:\\app", true],
    ["win32", "C:\\app\\..hidden", "C:\\app", true],
    ["win32", "C:\\other\\a.json", "C:\\app", false],
    ["win32", "C:\\", "C:\\app", false],
    ["win32", "D:\\app\\a.json", "C:\\app", false],
    ["win32", "\\\\server\\share\\a.json", "C:\\app", false],
    ["posix", "/app/..hidden", "/app", true],
    ["posix", "/application", "/app", false],
  ])("on %s, whether %s lies within %s", (system, place, folder, isWithin) => {
    expect(liesWithin(place, folder, path[system])).toBe(isWithin);
  });

  it("are written with slashes, on Windows as well", () => {
    expect(wayTo("C:\\app\\locales\\en.json", "C:\\app\\fixtures\\jobs", path.win32)).toBe("../../locales/en.json");
    expect(withSlashes("fixtures\\jobs\\a.json", path.win32)).toBe("fixtures/jobs/a.json");
    expect(withSlashes("a\\b.json", path.posix)).toBe("a\\b.json");
  });
});
