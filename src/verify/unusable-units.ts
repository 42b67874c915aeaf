import type { Area, Verdict } from "../checking/check.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { skippedChecks } from "../checking/verify-subject.ts";
import { unreadManifest } from "../manifest-checks/read.ts";
import { allChecks } from "./checks.ts";

/** The parts to verify for a module type. */
const areasOfTypes: Readonly<Record<string, readonly Area[]>> = {
  "auth-guard": ["guard", "page"],
  "file-post-import": ["import"],
  webhook: ["webhook"],
};

/** Units that cannot be verified because of their manifest: all checks are skipped, with the reason. */
export function unusableUnits({ wants, apps }: Verification): Unit[] {
  const skipped = (title: string, areas: readonly Area[], { reason, hint }: Pick<Verdict, "reason" | "hint">): Unit => {
    const checks = allChecks.filter((check) => areas.includes(check.area) && wants(check));
    return {
      module: null,
      checks,
      run: async () => skippedChecks({ title, module: null }, checks, reason ?? "", hint),
    };
  };
  return apps.flatMap(({ reading, manifest }) => {
    if (reading.value === undefined) {
      return [skipped("modules", Object.values(areasOfTypes).flat(), unreadManifest(reading))];
    }
    return manifest.unusable
      .filter(({ type }) => Object.hasOwn(areasOfTypes, type))
      .map(({ type, path, problems: [problem] }) =>
        skipped(path, areasOfTypes[type] ?? [], { reason: `${problem.path} ${problem.message}` }),
      );
  });
}
