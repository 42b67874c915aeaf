import { describe, expect, it } from "vitest";
import { findPortHolder, holderWords, takenText } from "../../src/serve/port-holder.ts";
import { startSilentPort, unusedPort } from "../rig/fake-app.ts";

describe("findPortHolder", () => {
  it.runIf(process.platform === "linux")("finds the process, its command line and its folder", async () => {
    await using taken = await startSilentPort();
    const holder = await findPortHolder(taken.port);
    expect(holder).toMatchObject({ pid: process.pid, cwd: process.cwd() });
    expect(holder?.argv[0]).toContain("node");
  });

  it("finds nothing if nothing listens", async () => {
    expect(await findPortHolder(await unusedPort())).toBeNull();
  });
});

describe("holderWords", () => {
  const other = "take --port 7411";

  it("names an app-sim of another folder, and says that the command can run there", () => {
    const argv = ["/usr/bin/node", "/home/u/shop/node_modules/.bin/app-sim", "--port", "7410", "serve"];
    expect(holderWords(7410, { pid: 12, argv, cwd: "/home/u/shop" }, other)).toEqual({
      message:
        "app-sim serve, started in another folder, /home/u/shop (process 12), uses port 7410; commands find its platform only in that folder",
      hint: "run commands for that platform in /home/u/shop; or end it; or take --port 7411",
    });
  });

  it("names any other program", () => {
    const argv = ["/usr/bin/node", "server.js", "serve"];
    expect(holderWords(7410, { pid: 12, argv, cwd: "/srv" }, other)).toEqual({
      message: "port 7410 of 127.0.0.1 is taken by node (process 12, in /srv)",
      hint: "end that program, or take --port 7411",
    });
  });

  it("names app-sim in one sentence, wherever it runs", () => {
    const argv = ["/usr/bin/node", "/srv/node_modules/.bin/app-sim", "dev"];
    expect(takenText(7410, { pid: 12, argv, cwd: "/srv" })).toBe(
      "port 7410 of 127.0.0.1 is taken by app-sim dev (process 12, in /srv)",
    );
  });

  it("says what it may be if it is unknown", () => {
    const { message, hint } = holderWords(7410, null, other);
    expect([message, hint]).toEqual([
      "port 7410 of 127.0.0.1 is taken",
      "end the other program; if it is an app-sim started in another folder, run this command there; or take --port 7411",
    ]);
  });
});
