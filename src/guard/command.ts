import { runWithSimulator } from "../command-line/session.ts";
import { type Expectation, exitCodeOf, exitCodeOfExpected } from "../output/exit-code.ts";
import type { Invocation } from "../output/invocation.ts";
import { isCi } from "../output/is-ci.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { exploreText } from "./explore-text.ts";
import type { GuardFlags } from "./guard-flags.ts";
import { expectationText, guardText } from "./guard-text.ts";
import type { LoginOptions } from "./login/login-options.ts";
import { watchLogin } from "./watch-login.ts";

/** `app-sim guard` */
export async function guard(invocation: Invocation, flags: GuardFlags): Promise<number> {
  const expectation = expectationOf(flags);
  if (flags.explore) return explore(invocation, flags);
  const options = loginOptionsOf(flags, invocation);
  if (hasKeys(invocation, flags) && !isCi(invocation.env)) {
    const { guardWithKeys } = await import("./guard-walk.ts");
    return guardWithKeys(invocation, options, flags);
  }
  return runWithSimulator(
    invocation,
    (simulator, { progress }) => watchLogin(invocation, simulator, options, progress, flags.open),
    (result, exchanges) => [
      ...guardText(result, exchanges, invocation.paint),
      ...(expectation === null
        ? []
        : expectationText(expectation, exitCodeOfExpected(result, expectation) === 0, invocation.paint)),
    ],
    { exitCode: (result) => (expectation === null ? exitCodeOf(result) : exitCodeOfExpected(result, expectation)) },
  );
}

/** `app-sim guard --explore` */
function explore(invocation: Invocation, flags: GuardFlags): Promise<number> {
  const excluded = Object.entries({ "--error": flags.error, "--fail": flags.fail, ...expectationFlags(flags) });
  const [wrong] = excluded.filter(([, value]) => value !== undefined).map(([flag]) => flag);
  if (wrong !== undefined) {
    throw new UsageError(
      "explore-invalid",
      `--explore and ${wrong} exclude each other`,
      "an exploration takes every end of a login by itself; leave one of the two",
    );
  }
  const page = pageOf(flags, invocation.env);
  return runWithSimulator(
    invocation,
    (simulator) =>
      simulator.explore({
        ...(flags.module === undefined ? {} : { modules: flags.module }),
        ...(page === null ? {} : { page }),
      }),
    (result) => exploreText(result, invocation.paint),
  );
}

/** Keys are offered where there is a terminal, and no flag says how the login shall go or end. */
function hasKeys({ terminal, format }: Invocation, flags: GuardFlags): boolean {
  return terminal !== null && format === "text" && flags.yes !== true && pageOf(flags, {}) === null && !isTest(flags);
}

function isTest(flags: GuardFlags): boolean {
  return flags.fail !== undefined || Object.values(expectationFlags(flags)).some((value) => value !== undefined);
}

function expectationFlags({ expect, expectDeniedBy }: GuardFlags) {
  return { "--expect": expect, "--expect-denied-by": expectDeniedBy };
}

function loginOptionsOf(flags: GuardFlags, { env }: Invocation): LoginOptions {
  const nobodyIsThere = isTest(flags) || isCi(env);
  const page = pageOf(flags, env) ?? (nobodyIsThere ? null : "wait");
  return {
    ...(flags.module === undefined ? {} : { modules: flags.module }),
    ...(flags.fail === undefined ? {} : { fail: flags.fail }),
    ...(page === null ? {} : { page }),
  };
}

/** What the flags say of the app's page; null: nothing. */
function pageOf(
  { code, error, fill, press, browser }: GuardFlags,
  env: Invocation["env"],
): LoginOptions["page"] | null {
  const given = Object.entries({ "--code": code, "--error": error, "--fill or --press": fill ?? press });
  const named = given.filter(([, value]) => value !== undefined).map(([flag]) => flag);
  if (named.length > 1 || (browser && (code !== undefined || error !== undefined))) {
    throw new UsageError(
      "page-ambiguous",
      `${[...named, ...(browser ? ["--browser"] : [])].join(" and ")} exclude each other`,
      "the app's page is either played (--code or --error) or walked (--fill, --press, --browser)",
    );
  }
  if (code !== undefined) return { code };
  if (error !== undefined) return { error };
  const button = press === undefined ? {} : { press };
  const executable = env.CHROME_PATH ? { executable: env.CHROME_PATH } : {};
  if (browser) return { browser: { ...(fill === undefined ? {} : { fill }), ...button, ...executable } };
  return fill === undefined && press === undefined ? null : { fill: fill ?? {}, ...button };
}

function expectationOf({ expect, expectDeniedBy }: GuardFlags): Expectation | null {
  if (expectDeniedBy === undefined) return expect === undefined ? null : { outcome: expect };
  if (expect !== "granted") return { outcome: "denied", deniedBy: expectDeniedBy };
  throw new UsageError(
    "expectation-invalid",
    "--expect granted and --expect-denied-by exclude each other",
    "keep one of the two",
  );
}
