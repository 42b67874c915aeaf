import { expect, test } from "vitest";
import type { CheckFacts } from "../../src/checking/check.ts";
import type { Unit } from "../../src/checking/unit.ts";
import { runUnits } from "../../src/checking/verify-subject.ts";
import { guardChecks } from "../../src/guard-checks/checks.ts";

test("what belongs to no module begins first, then the module with the most checks; results keep their order", async () => {
  const begun: string[] = [];
  const unit = (name: string, module: string | null, checks: number): Unit => ({
    module,
    checks: guardChecks.slice(0, checks) as readonly CheckFacts[],
    run: async () => {
      begun.push(name);
      return [];
    },
  });
  const units = [
    unit("small", "network", 1),
    unit("its call", "terms", 3),
    unit("large", "import", 4),
    unit("login", null, 2),
    unit("its page", "terms", 3),
  ];
  await runUnits(units, 1, { onResult: () => {}, hasResult: () => false, ended: () => null });
  expect(begun).toEqual(["login", "its call", "its page", "large", "small"]);
});
