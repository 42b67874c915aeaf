import { expect, test } from "vitest";
import { tellWarning } from "../../src/output/tell.ts";

test("a warning is folded on a terminal, and whole for listeners", () => {
  const text = "other commands will not find this platform: no room";
  const heard = { err: "", warnings: [] as string[] };
  const onWarning = (warning: string) => heard.warnings.push(warning);
  tellWarning({ err: (written) => (heard.err += written), errWidth: () => 40, onWarning }, text);
  expect(heard).toEqual({
    err: "warning: other commands will not find\n  this platform: no room\n",
    warnings: [text],
  });
});
