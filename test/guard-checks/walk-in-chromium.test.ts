import { expect, test, vi } from "vitest";
import { walkInChromium } from "../../src/guard-checks/pages/walk/browser.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

type Given = Parameters<typeof walkInChromium>;

test("Chromium ends where the platform's port is taken, which is not the page's fault", async () => {
  const release = vi.fn(async () => {});
  const taken = new UsageError("port-taken", "port 7400 is taken", "end that program");
  const context = { chromium: { open: async () => ({ ok: true, release }) }, listen: () => Promise.reject(taken) };
  const walk = walkInChromium(context as unknown as Given[0], {} as Given[1], {} as Given[2], {
    turnedAway: false,
    unopened: false,
  });
  await expect(walk).rejects.toBe(taken);
  expect(release).toHaveBeenCalledTimes(1);
});
