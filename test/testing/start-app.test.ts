import { createServer } from "node:http";
import { expect, test } from "vitest";
import { startPlatform } from "../../src/start-platform.ts";
import { startAppBy } from "../../src/testing/start-app.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const SERVER = `
  require("node:http").createServer((_, response) => response.end(process.env.PLATFORM_BASE_URL))
    .listen(Number(process.argv[2]), "127.0.0.1");
`;

test("an app started by a command line gets the platform's address, and ends with all its processes", async () => {
  using dir = makeTempDir();
  const file = dir.write("server.cjs", SERVER);
  const url = `http://127.0.0.1:${await unusedPort()}`;
  await using sim = await startPlatform({ app: { url } });
  const { port } = new URL(url);
  // A shell that is not replaced by what it starts.
  const stop = await startAppBy(`"${process.execPath}" "${file}" ${port} && exit`, sim);
  expect(await (await fetch(url)).text()).toBe(sim.url);
  await stop();
  await expect(fetch(url)).rejects.toThrow();
});

test("says why an app did not start", async () => {
  const port = await unusedPort();
  await using sim = await startPlatform({ app: { url: `http://127.0.0.1:${port}` } });
  await expect(startAppBy("echo no database >&2 && exit 3", sim)).rejects.toThrow(
    /"echo no database .*" *, ended with exit code 3\nno database/,
  );
  const other = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  await expect(startAppBy("true", sim)).rejects.toThrow(/something already listens at .*: end it/);
  other.close();
});
