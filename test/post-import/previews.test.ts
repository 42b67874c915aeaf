import { expect, it } from "vitest";
import { randomIds } from "../../src/app-client/ports.ts";
import { createPreviews } from "../../src/post-import/run/previews.ts";

it("the last hundred previews are kept, each at an address that nobody can guess", () => {
  const previews = createPreviews({ ids: randomIds });
  const made = Array.from({ length: 101 }, (_, index) => {
    const preview = { html: Buffer.from(`<p>${index}`), file: `${index}.json`, module: "tidy" };
    return { preview, path: previews.add(preview) };
  });
  expect(made.filter(({ path }) => !/^\/previews\/[\w-]{43}$/.test(path))).toEqual([]);
  const found = made.map(({ path }) => previews.find(path.replace("/previews/", "")));
  expect(found).toEqual([null, ...made.slice(1).map(({ preview }) => preview)]);
});
