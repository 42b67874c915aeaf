import fc from "fast-check";
import { expect, test } from "vitest";
import { IdIndex } from "../../src/post-import/rules/id-index.ts";

test("an index works like a map from each id to its first place", () => {
  const ids = fc.oneof(fc.constantFrom("", "__proto__", "a", "\ud800", "\u2028"), fc.string({ unit: "binary" }));
  const steps = fc.array(fc.tuple(fc.constantFrom("add", "find"), ids), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const index = new IdIndex();
      const map = new Map<string, number>();
      const answers = all.map(([step, id]) => (step === "add" ? index.add(id) : index.find(id)));
      const expected = all.map(([step, id]) => {
        const known = map.get(id) ?? -1;
        if (step === "add" && known < 0) map.set(id, map.size);
        return known;
      });
      expect([answers, index.count]).toEqual([expected, map.size]);
    }),
  );
});

test.each([
  ["upper", "id-1626", "id-21363"],
  ["lower", "id-24939", "id-37367"],
])("ids with the same %s half of their hashes are distinguished", (_, one, other) => {
  const index = new IdIndex();
  index.add(one);
  expect([index.find(other), index.add(other), index.find(other), index.find(one)]).toEqual([-1, -1, 1, 0]);
});

test.each<[string, (at: number) => string]>([
  ["hash and number", (at) => `d41d8cd98f00b204e9800998ecf8427e::${at}`],
  ["numbers", String],
  ["of two characters", (at) => String.fromCharCode(at & 0xfff, at >> 12)],
  ["of growing length", (at) => "a".repeat(at % 1000) + String.fromCharCode(at / 1000)],
])("100,000 ids and more keep their places while it grows: %s", (_, idAt) => {
  const count = 131_073;
  const index = new IdIndex();
  const added = Array.from({ length: count }, (_, at) => index.add(idAt(at)));
  expect(added.filter((place) => place !== -1)).toEqual([]);
  expect(index.count).toBe(count);
  const places = Array.from({ length: count }, (_, at) => index.find(idAt(at)));
  expect(places.filter((place, at) => place !== at)).toEqual([]);
  expect([index.add(idAt(99_999)), index.find("another"), index.count]).toEqual([99_999, -1, count]);
});
