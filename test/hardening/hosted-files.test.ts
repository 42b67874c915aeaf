import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hosting } from "../../src/web/hosted-files.ts";
import { ask, pageOf } from "../guard/visitor.ts";
import { type ServedPlatform, servePlatform } from "../rig/platform.ts";

let platform: ServedPlatform;
let hosted: Hosting;
/** Path of the page of a preview. */
let preview: string;
beforeAll(async () => {
  platform = await servePlatform();
  const file = {
    name: "secret.json",
    contentType: "application/json",
    size: 6,
    async *open() {
      yield Buffer.from("secret");
    },
  };
  hosted = await platform.files.host(file, "tidy");
  preview = platform.previews.add({ html: Buffer.from("<p>secret"), file: "secret.json", module: "tidy" });
});
afterAll(() => platform[Symbol.asyncDispose]());

/** The whole answer to these bytes; PORT is that of the platform. */
function answerTo(request: string): Promise<string> {
  const { port } = new URL(platform.url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  socket.write(request.replaceAll("PORT", port));
  return text(socket);
}

const paths = () => [new URL(hosted.url).pathname, preview, `${preview}/content`];

describe("hosted files and previews", () => {
  it.each([
    ["S2 another host", "Host: evil.example\r\n"],
    ["S2 another host with our port", "Host: evil.example:PORT\r\n"],
    ["S2 0.0.0.0", "Host: 0.0.0.0:PORT\r\n"],
    ["S2 two hosts", "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n"],
    ["S3 a malformed host", "Host: [\r\n"],
  ])("%s: nothing about them is revealed", async (_, host) => {
    for (const path of paths()) {
      const answer = await answerTo(`GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).not.toContain("secret");
    }
  });

  it("S4 to S7: no page of another origin can read or embed them", async () => {
    const origins = [{}, { origin: "null" }, { origin: "http://127.0.0.1:1" }, { "sec-fetch-site": "cross-site" }];
    for (const path of paths()) {
      for (const headers of origins) {
        const answered = await ask(platform.url + path, { headers });
        expect([path, answered.headers["cross-origin-resource-policy"]]).toEqual([path, "same-origin"]);
        expect(Object.keys(answered.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
        expect(answered.headers["content-security-policy"]).toMatch(/frame-ancestors '(none|self)'$/);
      }
    }
  });

  it("S13: a preview is sandboxed by its frame, and by its own headers", async () => {
    const page = await ask(platform.url + preview);
    expect(pageOf(page)("iframe").attr()).toEqual({
      title: "Preview of secret.json",
      src: `${preview}/content`,
      sandbox: "",
      referrerpolicy: "no-referrer",
    });
    expect(page.headers["content-security-policy"]).toContain(`frame-src ${platform.url};`);
    expect(page.body).not.toContain("<p>secret");
    const content = await ask(`${platform.url}${preview}/content`);
    expect([content.status, content.body]).toEqual([200, "<p>secret"]);
    expect(content.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    expect(content.headers["x-frame-options"]).toBeUndefined();
  });

  it("S10: no method changes anything", async () => {
    for (const path of paths()) {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const { status, headers } = await ask(platform.url + path, { method });
        expect([path, method, status, headers.allow]).toEqual([path, method, 405, "GET, HEAD"]);
      }
    }
  });

  it.each([
    "..",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "..%5c..%5cwindows%5cwin.ini",
    "..\\..\\windows\\win.ini",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%252fsecret.json",
    "%2fetc%2fpasswd",
    "C:%5cwindows",
    "secret.json",
    "secret.json::$DATA",
    "ID::$DATA",
    "ID.",
    "ID%00",
    "ID%00.json",
    "ID%20",
    "ID/",
    "./ID",
    "x/../ID",
    "ID%2f..%2fID",
    "%00",
    "%ff",
    "%zz",
    "",
    "__proto__",
    "constructor",
    "x".repeat(10_000),
  ])("S26 %s: does not lead to a file", async (name) => {
    for (const known of [hosted.url, platform.url + preview]) {
      const [, folder = "", id = ""] = new URL(known).pathname.split("/");
      for (const path of [`/${folder}/${name.replaceAll("ID", id)}`, `/${folder}//${name.replaceAll("ID", id)}`]) {
        const answer = await answerTo(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
        expect(answer.split("\r\n\r\n")[1]).toMatch(/^\{"error":\{/);
        expect(answer).not.toContain("root:");
      }
    }
    expect((await ask(hosted.url)).body).toBe("secret");
    expect(platform.bugs).toEqual([]);
  });
});
