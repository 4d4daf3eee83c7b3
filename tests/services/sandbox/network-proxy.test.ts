import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import { isAllowedHost, isNamedHost } from "../../../src/services/sandbox/network-proxy.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

test.each([
  [["example.com"], [], "example.com", true],
  [["example.com"], [], "EXAMPLE.com.", true],
  [["example.com"], [], "www.example.com", false],
  [["example.com"], [], "example.com.evil.org", false],
  [["example.com"], [], "notexample.com", false],
  [["*.example.com"], [], "a.b.example.com", true],
  [["*.example.com"], [], "example.com", false],
  [["*.example.com"], [], "notexample.com", false],
  [["*.example.com"], [], ".example.com", false],
  [["*"], ["evil.org"], "evil.org", false],
  [["*"], ["*.evil.org"], "a.evil.org", false],
  [["*"], ["evil.org"], "good.org", true],
  [["*"], ["*"], "good.org", false],
  [["https://example.com:443/path"], [], "example.com", true],
  [["*"], [], "127.0.0.1", false],
  [["*.1"], [], "127.0.0.1", false],
  [["127.0.0.1"], [], "127.0.0.1", true],
  [["[::1]"], [], "::1", true],
  [["*"], [], "", false],
  [[], [], "example.com", false],
])("with %j and without %j, %s may be reached: %p", (allowed, denied, host, expected) => {
  const isNumeric = /^[\d.]+$|:/.test(host);
  expect(isAllowedHost(host, { allowed, denied }, isNumeric)).toBe(expected);
});

test("a denied host stays denied whatever is added to the allowed ones", () => {
  for (const allowed of [["*"], ["a.com"], ["*.com", "a.com"]])
    expect(isAllowedHost("a.com", { allowed, denied: ["a.com"] }, false)).toBe(false);
  expect(isNamedHost("A.com.", { allowed: ["a.com"], denied: [] })).toBe(true);
  expect(isNamedHost("b.a.com", { allowed: ["*.a.com"], denied: [] })).toBe(false);
});

async function webServer() {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.end("served\n");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return { hits, port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe("from inside a sandbox with allowed domains", () => {
  const CURL = "curl -sS --max-time 20 -w '%{http_code}\\n'";

  test("allowed hosts are reached by plain HTTP and by CONNECT, and others are refused with the reason", async () => {
    await using web = await webServer();
    await using at = await sandboxPlace({ settings: { network: { allowedDomains: ["localhost"] } } });
    expect(await at.sandbox.state()).toMatchObject({ kind: "bubblewrap", hasNetwork: true });
    // Curl keeps loopback off a proxy unless told.
    const url = `http://localhost:${web.port}`;
    const plain = await at.run(`NO_PROXY= no_proxy= ${CURL} ${url}/plain`);
    expect(plain).toEqual({ code: 0, out: "served\n200\n" });
    const tunnel = await at.run(`NO_PROXY= no_proxy= ${CURL} -p ${url}/tunnel`);
    expect(tunnel).toEqual({ code: 0, out: "served\n200\n" });
    expect(web.hits).toEqual(["GET /plain", "GET /tunnel"]);
    const refused = await at.run(`${CURL} http://other.example/`);
    expect(refused.out).toContain(
      "Quoll's sandbox refused other.example: it is not among sandbox.network.allowedDomains",
    );
    expect(refused.out).toContain("403");
    expect(at.sandbox.explainFailure(refused.out)).toContain("this host");
    expect(at.sandbox.explainFailure("npm error 403 Forbidden", 5_000)).toContain("to other.example:");
    expect(at.sandbox.explainFailure("npm error 403 Forbidden", 0)).toBeUndefined();
  });

  test("an address is no way round the names, and a name that leads inside is refused unless it is named itself", async () => {
    await using web = await webServer();
    await using at = await sandboxPlace({ settings: { network: { allowedDomains: ["*"] } } });
    const ask = (host: string, more = "") => at.run(`NO_PROXY= no_proxy= ${CURL} ${more} http://${host}:${web.port}/`);
    for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]) {
      expect((await ask(host)).out).not.toContain("served");
      expect((await ask(host, "-p")).out).not.toContain("served");
    }
    expect(web.hits).toEqual([]);
  });

  test("past the proxy there is nothing, and the command's exit code and output are its own", async () => {
    await using web = await webServer();
    await using at = await sandboxPlace({ settings: { network: { allowedDomains: ["localhost"] } } });
    expect((await at.run(`curl -s --noproxy '*' --max-time 20 http://127.0.0.1:${web.port}/`)).code).toBe(7);
    expect(await at.run("echo out; echo err >&2; exit 9")).toEqual({ code: 9, out: "out\nerr\n" });
    expect(web.hits).toEqual([]);
  });

  test("after the end nothing listens any more", async () => {
    await using at = await sandboxPlace({ settings: { network: { allowedDomains: ["localhost"] } } });
    const { confined } = await at.confineBash("true");
    await confined.dispose();
    await at.sandbox.close();
    expect([...new Bun.Glob("**/*").scanSync({ cwd: `${at.deps.stateFolder}/sandbox`, onlyFiles: false })]).toEqual([]);
  });
});
