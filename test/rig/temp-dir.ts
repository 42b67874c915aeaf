import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An empty directory; disposing of it removes it with all that it holds. */
export interface TempDir extends Disposable {
  readonly path: string;
  /** Writes a file, text as it is and anything else as JSON, makes the directories above it, returns its path. */
  write(name: string, content: unknown): string;
}

/** Makes an empty directory among the system's temporary ones. */
export function makeTempDir(): TempDir {
  const path = mkdtempSync(join(tmpdir(), "app-sim-test-"));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
