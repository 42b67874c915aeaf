import { elsewhere } from "../checking/canary.ts";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { type ImportCheck, importCheck } from "./check.ts";
import { fortyLines, submitStringsAt } from "./hosts.ts";

/** Ways to another server that a rule for addresses may overlook, each by the end of a sentence. */
const detours: Readonly<Record<string, (platform: URL, target: URL) => string>> = {
  "whose address begins with the platform's": ({ host }, target) =>
    target.href.replace(`${target.host}/`, `${host}@${target.host}/`),
  "whose address holds the platform's in its query": ({ origin }, { href }) => `${href}?from=${origin}/`,
  // Where names below localhost are unknown, the app gets no file, as from a server that it refuses.
  "whose host name begins with the platform's": ({ hostname }, target) => {
    const below = new URL(target);
    below.hostname = `${hostname}.localhost`;
    return below.href;
  },
};
const REDIRECTED = "to which the platform's address redirects";
const DIRECT = "foreign";

/** The check of an app's own rule for the addresses of files (hardening I4). */
export const hostRuleCheck: ImportCheck = importCheck(
  {
    id: "import.strings-host.own-rule",
    title: "An app that fetches only from the platform cannot be led to other servers",
    severity: "should",
    why: "The app refuses other servers, so that nobody can make it fetch addresses of its own network. A rule that can be bypassed does not protect it.",
    fix: "Parse the address, compare its origin with the platform's, allow no user name in it, and follow no redirects.",
  },
  {
    run: async (tools) => {
      const submitTo = (role: string, addressOf: (target: URL, platform: URL) => string) =>
        tools.serving(role, { content: fortyLines() }, (url) =>
          submitStringsAt(tools, role, addressOf(new URL(elsewhere(url)), new URL(url))),
        );
      const direct = await submitTo(DIRECT, ({ href }) => href);
      if (tools.read(direct, null).kind === "accepted") return;
      for (const [role, detour] of Object.entries(detours)) {
        await submitTo(role, (target, platform) => detour(platform, target));
      }
      await tools.serving(REDIRECTED, { content: fortyLines() }, (target) =>
        tools.serving("redirecting", { content: "", status: 302, headers: { location: elsewhere(target) } }, (url) =>
          submitStringsAt(tools, REDIRECTED, url),
        ),
      );
      await tools.serving("plain", { content: fortyLines() }, (url) => submitStringsAt(tools, "plain", url));
    },
    judge: ({ steps }) => {
      const isRead = (role: string) => steps.some((step) => step.role === role + READ_OF);
      if (isRead(DIRECT)) return skipVerdict("the app fetches files from any server");
      if (!isRead("plain")) return skipVerdict("the app fetched no file");
      const led = [...Object.keys(detours), REDIRECTED].find(isRead);
      return led === undefined
        ? PASSED
        : faulty(hostRuleCheck, `the app refuses another server, but fetches from one ${led}`);
    },
  },
);
