import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Resolve } from "../../../../src/platform/resolve-host.ts";
import { type FetchDeps, fetchAddress } from "../../../../src/services/web/io/fetch-address.ts";
import { readAddress } from "../../../../src/services/web/read-address.ts";
import { eventually } from "../../../support/eventually.ts";
import { tlsFront } from "../../../support/tls-front.ts";
import { socketServer, webServer } from "../../../support/web-server.ts";

const never = new AbortController().signal;
const everything = () => true;
const nothing = () => false;

/** Names that lead to these addresses, in the order of the questions; the last answer stays. */
function names(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: Resolve = (host, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    callback(
      addresses.length === 0 ? Object.assign(new Error("no such name"), { code: "ENOTFOUND" }) : null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { resolve, asked };
}

const LOCAL = names(["127.0.0.1"]);
const deps = (more: Partial<FetchDeps> = {}): FetchDeps => ({
  environment: {},
  userAgent: "Quoll/test",
  resolve: LOCAL.resolve,
  timeoutMs: 25_000,
  ...more,
});

const fetchText = async (url: string, more?: Partial<FetchDeps>, isNamed: (host: string) => boolean = everything) => {
  const answer = await fetchAddress(readAddress(url), isNamed, deps(more), never);
  return answer.kind === "body" ? answer.body.toString() : answer;
};
const failureOf = (...args: Parameters<typeof fetchText>) =>
  fetchText(...args).then(
    () => "no failure",
    (error: Error) => error.message,
  );

describe("a request", () => {
  test("says who sends it, and carries no cookie, referrer and credentials, also after a redirect", async () => {
    await using server = await webServer(({ url }, response) => {
      if (url !== "/") return response.end("Hello");
      response.writeHead(302, { location: "/next?a=1", "set-cookie": "id=1" }).end();
    });
    expect(await fetchText(`http://site.example:${server.port}/`)).toBe("Hello");
    expect(server.requests.map(({ url, method }) => `${method} ${url}`)).toEqual(["GET /", "GET /next?a=1"]);
    for (const { headers } of server.requests) {
      expect(headers["user-agent"]).toBe("Quoll/test");
      expect(headers["host"]).toBe(`site.example:${server.port}`);
      for (const name of ["cookie", "referer", "authorization", "origin"]) expect(headers[name]).toBeUndefined();
    }
  });

  test("goes to the address that was judged, for which the name is resolved once", async () => {
    await using server = await webServer((_, response) => response.end("Hello"));
    // The second answer would lead elsewhere.
    const { resolve, asked } = names(["127.0.0.1"], ["127.0.0.2"]);
    expect(await fetchText(`http://site.example:${server.port}/`, { resolve })).toBe("Hello");
    expect(asked).toEqual(["site.example"]);
  });

  test("goes to the next address of the name if one does not answer", async () => {
    await using server = await webServer((_, response) => response.end("Hello"));
    const { resolve } = names(["::1", "127.0.0.1"]);
    expect(await fetchText(`http://site.example:${server.port}/`, { resolve })).toBe("Hello");
  });

  test("is refused if one of several addresses of the name is not public", async () => {
    await using server = await webServer((_, response) => response.end("Hello"));
    for (const address of [
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "::1",
      "::ffff:127.0.0.1",
      "fd00::1",
      "224.0.0.1",
    ]) {
      const { resolve } = names(["93.184.216.34", address]);
      const failure = await failureOf(`http://site.example:${server.port}/`, { resolve }, nothing);
      expect(failure).toContain(`site.example resolves to ${address}`);
    }
    expect(server.requests).toHaveLength(0);
  });

  test("is judged again at a redirect: a name that now leads to this machine is refused", async () => {
    await using server = await webServer((_, response) => response.writeHead(302, { location: "/secret" }).end());
    const { resolve } = names(["127.0.0.1"], ["127.0.0.2"]);
    const isNamed = (host: string) => host === "site.example" || host === "127.0.0.1";
    const failure = await failureOf(`http://site.example:${server.port}/`, { resolve }, isNamed);
    expect(failure).toContain("site.example resolves to 127.0.0.2");
    expect(server.requests).toHaveLength(1);
  });

  test("to a private address by a public name needs a rule for the name and one for the address", async () => {
    await using server = await webServer((_, response) => response.end("Hello"));
    const reach = (...named: readonly string[]) =>
      failureOf(`http://wiki.example.com:${server.port}/`, {}, (host) => named.includes(host));
    expect(await reach("wiki.example.com")).toContain("resolves to 127.0.0.1");
    expect(await reach("127.0.0.1")).toContain("resolves to 127.0.0.1");
    expect(await reach("127.0.0.1", "wiki.example.com")).toBe("no failure");
  });

  test("to this machine needs a rule for its name, which the refusal tells", async () => {
    await using server = await webServer((_, response) => response.end("Hello"));
    for (const host of ["127.0.0.1", "localhost", "box.local"]) {
      const url = `http://${host}:${server.port}/`;
      expect(await failureOf(url, {}, nothing)).toContain(`WebFetch(domain:${host})`);
      expect(await fetchText(url, {}, (named) => named === host)).toBe("Hello");
    }
  });

  test("that is interrupted ends its connection", async () => {
    await using server = await webServer((_, response) => void response.write("x"));
    const interrupt = new AbortController();
    const answer = fetchAddress(
      readAddress(`http://site.example:${server.port}/`),
      everything,
      deps(),
      interrupt.signal,
    );
    await eventually("the request arrived", () => server.requests.length === 1);
    interrupt.abort(new Error("stopped"));
    await expect(answer).rejects.toThrow("stopped");
    await eventually("the connection is closed", () => server.open.size === 0);
  });
});

describe("a redirect", () => {
  test("to another host is reported with its address, and nothing of it is fetched", async () => {
    await using server = await webServer(({ headers }, response) =>
      response.writeHead(301, { location: `http://other.example:${headers.host?.split(":")[1]}/x` }).end("moved"),
    );
    const from = `http://site.example:${server.port}/`;
    expect(await fetchText(from)).toEqual({
      ...{ kind: "redirect", from, status: 301, why: "it is another host" },
      target: `http://other.example:${server.port}/x`,
    });
    expect(server.requests).toHaveLength(1);
  });

  test("that never ends is given up after ten, and the connections are closed", async () => {
    await using server = await webServer(({ url }, response) =>
      response.writeHead(302, { location: `/${Number(url?.slice(1) || 0) + 1}` }).end(),
    );
    expect(await failureOf(`http://site.example:${server.port}/`)).toContain("redirects more than 10 times");
    expect(server.requests).toHaveLength(11);
    await eventually("the connections are closed", () => server.open.size === 0);
  });

  test("with a body without end does not read it", async () => {
    await using server = await webServer(({ url }, response) => {
      if (url !== "/") return response.end("Hello");
      response.writeHead(302, { location: "/next" });
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        response.once("drain", write);
      };
      write();
    });
    expect(await fetchText(`http://site.example:${server.port}/`)).toBe("Hello");
    await eventually("the connections are closed", () => server.open.size === 0);
  });
});

describe("a body", () => {
  const BIG = 300_000;

  test.each([
    ["gzip", gzipSync("Hello")],
    ["deflate", deflateSync("Hello")],
    ["br", brotliCompressSync("Hello")],
    ["identity", Buffer.from("Hello")],
    ["gzip", gzipSync("Hello").subarray(0, -8)],
  ])("compressed with %s is read", async (encoding, bytes) => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes),
    );
    expect(await fetchText(`http://site.example:${server.port}/`)).toBe("Hello");
  });

  test.each([
    ["gzip", gzipSync(Buffer.alloc(20_000_000))],
    ["deflate", deflateSync(Buffer.alloc(20_000_000))],
    ["br", brotliCompressSync(Buffer.alloc(20_000_000))],
  ])("that grows too large out of %s is given up while it grows", async (encoding, bytes) => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes),
    );
    const before = process.memoryUsage().rss;
    expect(await failureOf(`http://site.example:${server.port}/`, { maxBytes: BIG })).toContain("larger than");
    expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
    await eventually("the connections are closed", () => server.open.size === 0);
  });

  test("that is too large is given up by its length, and without one while it arrives", async () => {
    await using server = await webServer(({ url }, response) => {
      if (url === "/known") return response.writeHead(200, { "content-length": BIG + 1 }).write("x");
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        response.once("drain", write);
      };
      write();
    });
    for (const path of ["known", "endless"])
      expect(await failureOf(`http://site.example:${server.port}/${path}`, { maxBytes: BIG })).toContain("larger than");
    await eventually("the connections are closed", () => server.open.size === 0);
  });

  test.each([
    ["gzip, gzip", gzipSync(gzipSync("Hello")), 'compressed as "gzip, gzip"'],
    ["zstd", Buffer.from("Hello"), 'compressed as "zstd"'],
    ["gzip", Buffer.from("this is no gzip data"), "gzip data is damaged"],
  ])("compressed as %s that can't be read is said", async (encoding, bytes, words) => {
    await using server = await webServer((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bytes),
    );
    expect(await failureOf(`http://site.example:${server.port}/`)).toContain(words);
  });

  test("that arrives letter by letter ends at the time limit", async () => {
    await using server = await webServer((_, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failureOf(`http://site.example:${server.port}/`, { timeoutMs: 300 })).toContain("within 0.3 s");
    await eventually("the connections are closed", () => server.open.size === 0);
  });

  test("that ends before its length is said", async () => {
    await using server = await socketServer((socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"),
    );
    expect(await failureOf(`http://site.example:${server.port}/`)).toContain("ended too early");
  });
});

describe("a host", () => {
  test("that does not exist, or refuses, or never answers, or speaks no HTTP, is said in one line", async () => {
    await using silent = await socketServer(() => undefined);
    await using rude = await socketServer((socket) => socket.end("SSH-2.0-OpenSSH_9\r\n"));
    await using closing = await socketServer((socket) => socket.destroy());
    await using endless = await socketServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const write = () => {
        while (!socket.destroyed && socket.write(`x-${"a".repeat(1_000)}: b\r\n`.repeat(20)));
        socket.once("drain", write);
      };
      write();
    });
    const { resolve } = names([]);
    const failures = [
      await failureOf("https://missing.example/", { resolve }),
      await failureOf("http://site.example:1/".replace(":1/", ":65535/")),
      await failureOf(`http://site.example:${silent.port}/`, { timeoutMs: 300 }),
      await failureOf(`http://site.example:${rude.port}/`, { timeoutMs: 25_000 }),
      await failureOf(`http://site.example:${closing.port}/`, { timeoutMs: 25_000 }),
      await failureOf(`http://site.example:${endless.port}/`, { timeoutMs: 25_000 }),
      await failureOf(`https://site.example:${silent.port}/`, { timeoutMs: 300 }),
    ];
    for (const failure of failures) expect(failure).toMatch(/^https?:\S+ could not be read: [^\n]+\.$/);
    expect(failures[0]).toContain("no such host");
    expect(failures[1]).toContain("refuses connections");
    expect(failures[2]).toContain("within 0.3 s");
    await eventually("the connections are closed", () => silent.open.size + endless.open.size === 0);
  });
});

test("a name that cannot be looked up is told in one sentence", async () => {
  const resolve: Resolve = (_, __, callback) =>
    callback(Object.assign(new Error("try again"), { code: "EAI_AGAIN" }), []);
  expect(await failureOf("https://site.example/", { resolve })).toMatch(/could not be resolved[^.?]*\.$/);
});

test("a host whose certificate nobody vouches for is not read", async () => {
  await using server = await webServer((_, response) => response.end("Hello"));
  await using front = await tlsFront(`http://127.0.0.1:${server.port}`);
  const { port } = new URL(front.url);
  for (const host of ["site.example", "localhost", "127.0.0.1"])
    expect(await failureOf(`https://${host}:${port}/`)).toContain("no encrypted connection could be made");
  expect(server.requests).toHaveLength(0);
});

describe("through a proxy", () => {
  test("a name is sent to the proxy, and local names and numbers are not", async () => {
    await using proxy = await webServer(({ url }, response) => response.end(`proxied ${url}`));
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await fetchText("http://site.example/a?b", { environment })).toBe("proxied http://site.example/a?b");
    for (const host of ["127.0.0.1", "10.0.0.1", "93.184.216.34", "[::1]", "localhost", "router", "box.local"])
      expect(await failureOf(`http://${host}/`, { environment })).toContain("the proxy of HTTP_PROXY");
    expect(proxy.requests).toHaveLength(1);
    const { headers } = proxy.requests[0] ?? { headers: {} };
    for (const name of ["cookie", "referer", "authorization"]) expect(headers[name]).toBeUndefined();
  });

  test("a redirect to another host and a body that is too large are refused as without", async () => {
    await using proxy = await webServer(({ url }, response) => {
      if (url?.endsWith("/big"))
        return response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000_000)));
      response.writeHead(302, { location: "http://127.0.0.1/" }).end();
    });
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await fetchText("http://site.example/", { environment })).toMatchObject({ kind: "redirect" });
    expect(await failureOf("http://site.example/big", { environment, maxBytes: 1_000_000 })).toContain("larger than");
  });

  test("a host of NO_PROXY is judged as without a proxy", async () => {
    await using proxy = await webServer((_, response) => response.end("proxied"));
    await using server = await webServer((_, response) => response.end("direct"));
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "site.example,127.0.0.1" };
    expect(await fetchText(`http://site.example:${server.port}/`, { environment })).toBe("direct");
    expect(await failureOf(`http://site.example:${server.port}/`, { environment }, nothing)).toContain(
      "resolves to 127.0.0.1",
    );
    expect(await failureOf(`http://127.0.0.1:${server.port}/`, { environment }, nothing)).toContain("domain:127.0.0.1");
  });

  test("of another protocol nothing is sent, and a dead proxy is said", async () => {
    expect(
      await failureOf("http://site.example/", { environment: { ALL_PROXY: "socks5://127.0.0.1:1080" } }),
    ).toContain("ALL_PROXY names no http or https proxy");
    expect(await failureOf("http://site.example/", { environment: { HTTP_PROXY: "http://127.0.0.1:9" } })).toMatch(
      /^http:\/\/site\.example\/ could not be read: [^\n]+$/,
    );
  });
});
