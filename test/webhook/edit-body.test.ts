import { expect, it } from "vitest";
import { fileForShell } from "../../src/webhook/edit-body.ts";

it.each<[NodeJS.Platform, file: string, word: string]>([
  ["win32", "C:\\Users\\Ada L\\body.json", '"C:\\Users\\Ada L\\body.json"'],
  ["linux", "/tmp/it's here/body.json", String.raw`'/tmp/it'\''s here/body.json'`],
])("on %s, the shell reads the name of the edited file as one word", (system, file, word) => {
  expect(fileForShell(file, system)).toBe(word);
});
