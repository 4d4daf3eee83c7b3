import { expect, test } from "bun:test";
import { GOOGLE_REDIRECTS, resolveRedirects } from "../../../../src/services/web/io/resolve-redirects.ts";
import { webServer } from "../../../support/web-server.ts";

const page = (url: string) => ({ title: "t", url });

test("an address that redirects becomes its target, and no page is asked", async () => {
  const targets = new Map([
    ["/r/1", "https://bun.sh/blog"],
    ["/r/2", "javascript:alert(1)"],
  ]);
  await using server = await webServer((request, response) => {
    const location = targets.get(request.url ?? "");
    response.writeHead(location ? 302 : 404, location ? { location } : {}).end();
  });
  const base = `http://127.0.0.1:${server.port}`;
  const results = [page(`${base}/r/1`), page(`${base}/r/2`), page(`${base}/r/3`), page(`${base}/other`)];
  const resolved = await resolveRedirects(results, {}, new AbortController().signal, `${base}/r/`);
  expect(resolved.map(({ url }) => url)).toEqual([
    "https://bun.sh/blog",
    `${base}/r/2`,
    `${base}/r/3`,
    `${base}/other`,
  ]);
  expect(server.requests.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
    "HEAD /r/1",
    "HEAD /r/2",
    "HEAD /r/3",
  ]);
});

test("a server that does not answer costs no result, and an abort ends the wait", async () => {
  const results = [page("http://127.0.0.1:1/r/1")];
  expect(await resolveRedirects(results, {}, new AbortController().signal, "http://127.0.0.1:1/")).toEqual(results);
  const stop = new AbortController();
  await using server = await webServer(() => stop.abort(new Error("stopped")));
  const base = `http://127.0.0.1:${server.port}/`;
  await expect(resolveRedirects([page(`${base}1`)], {}, stop.signal, base)).rejects.toThrow("stopped");
  expect(GOOGLE_REDIRECTS).toStartWith("https://");
});
