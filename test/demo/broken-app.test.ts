import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { sampleFaults, startBrokenApp } from "../../src/demo/broken-app.ts";
import { ROOT } from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";

test("each edit of a fault has one place in the sample app", async () => {
  const texts = new Map<string, string>();
  const misplaced: string[] = [];
  for (const { id, edits } of await sampleFaults()) {
    texts.clear();
    for (const { file, from, to } of edits) {
      const text = texts.get(file) ?? (await readFile(path.join(ROOT, "examples/sample-app", file), "utf8"));
      if (text.split(from).length !== 2) misplaced.push(id);
      texts.set(file, text.split(from).join(to));
    }
  }
  expect(misplaced).toEqual([]);
});

test("a copy of the app can import all that its faults need of packages", async () => {
  const faults = (await sampleFaults()).filter(({ edits }) => edits.some(({ to }) => to.includes('"jose"')));
  expect(faults.length).toBeGreaterThan(1);
  const secrets = { clientId: "client", clientSecret: "client-secret", appSecret: "app-secret" };
  for (const fault of faults) {
    const authUrl = `http://127.0.0.1:${await unusedPort()}`;
    const app = await startBrokenApp(fault, { ...secrets, authUrl, port: 0 });
    await app.close();
  }
});
