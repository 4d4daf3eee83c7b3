import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import type { McpElicitation } from "../../../src/contracts/mcp.ts";
import { limitedFetch } from "../../../src/services/mcp/oauth/limited-fetch.ts";
import { deepTest } from "../../support/deep.ts";
import { callText, callTool, mcpHarness } from "./mcp-harness.ts";
import { oauthPlace } from "./oauth-place.ts";
import { oauthServer } from "./servers/oauth-server.ts";
import { sseServer } from "./servers/sse-server.ts";

const WELL_KNOWN = "/.well-known/oauth-authorization-server";
const NEVER = new AbortController().signal;
type Place = Awaited<ReturnType<typeof oauthPlace>>;

/** A session of its own, as in a new process. */
async function session(place: Place) {
  const mcp = await mcpHarness({ logins: place.logins() });
  await mcp.start(place.web.config("docs"));
  return mcp;
}

function logIn(place: Place, visit?: (address: string) => Promise<unknown>) {
  return place.logins().logIn(place.web.config("docs"), place.prompt(visit), NEVER);
}

describe("a login to an MCP server", () => {
  test("discovery, registration, PKCE and the token; the login is kept in a private file", async () => {
    await using place = await oauthPlace();
    {
      await using mcp = await session(place);
      expect(mcp.state("docs")).toMatchObject({
        status: "needs-auth",
        error: "it needs a login: run `quoll mcp login docs`",
      });
      const file = place.home.path("config/mcp-credentials.json");
      expect(await mcp.client.logIn("docs", place.prompt(), NEVER)).toBe(
        `Logged in to docs. The login is kept in ${file}, for you alone.`,
      );
      expect(mcp.state("docs")).toMatchObject({ status: "connected", hasLogin: true });
      expect(await callText(mcp.tool("mcp__docs__add_numbers"), { a: 2, b: 3 })).toBe('{"sum":5}');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, "utf8")).toContain("at-");
    }
    const asked = place.authority.seen.find(({ path }) => path === "/authorize");
    expect(asked?.query.get("resource")).toBe(place.web.url);
    expect(place.authority.seen.find(({ path }) => path === "/token")?.body.get("resource")).toBe(place.web.url);
    expect(place.authority.problems).toEqual([]);
    await using later = await session(place);
    expect(later.state("docs").status).toBe("connected");
    expect(place.authority.count("/authorize")).toBe(1);
  });

  test("an expired token is renewed before the request, once for two processes, and the refresh token is replaced", async () => {
    await using place = await oauthPlace({ knobs: { expiresIn: 0 } });
    await logIn(place);
    place.authority.knobs.expiresIn = 3_600;
    await using one = await mcpHarness({ logins: place.logins() });
    await using two = await mcpHarness({ logins: place.logins() });
    await Promise.all([one.start(place.web.config("docs")), two.start(place.web.config("docs"))]);
    expect([one.state("docs").status, two.state("docs").status]).toEqual(["connected", "connected"]);
    expect(place.authority.count("/token")).toBe(2);
    expect(
      place.web.seen.every(
        ({ headers }) => place.authority.scopeOf(headers) !== undefined || !headers.has("authorization"),
      ),
    ).toBe(true);
    expect(place.authority.refresh.size).toBe(1);
  });

  test("a token that the server refuses in mid-session is renewed, and the call is made", async () => {
    await using place = await oauthPlace();
    await logIn(place);
    await using mcp = await session(place);
    place.authority.expireAll();
    expect(await callText(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 })).toBe('{"sum":2}');
    expect(place.authority.count("/token")).toBe(2);
  });

  test("after a revoked refresh token the server needs a login, and the next start does not ask it", async () => {
    await using place = await oauthPlace();
    await logIn(place);
    await using mcp = await session(place);
    place.authority.expireAll();
    place.authority.refresh.clear();
    await expect(callTool(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 })).rejects.toThrow(
      'The MCP server "docs" refused this call: its login expired or was revoked: run `quoll mcp login docs`. Nothing was run.',
    );
    expect(mcp.state("docs")).toMatchObject({
      status: "needs-auth",
      error: "its login expired or was revoked: run `quoll mcp login docs`",
    });
    const starts = () => place.web.seen.filter(({ body }) => body.includes('"initialize"')).length;
    const before = starts();
    await using later = await session(place);
    expect(later.state("docs").status).toBe("needs-auth");
    expect(starts()).toBe(before);
    await later.client.reconnect("docs");
    expect(starts()).toBe(before + 1);
  });

  deepTest("a server of the older transport takes a login too", async () => {
    await using place = await oauthPlace();
    await using old = sseServer((request) =>
      place.authority.scopeOf(request.headers) === undefined ? new Response("no", { status: 401 }) : undefined,
    );
    await using mcp = await mcpHarness({ logins: place.logins() });
    await mcp.start(old.config);
    expect(mcp.state("old")).toMatchObject({
      status: "needs-auth",
      error: "it needs a login: run `quoll mcp login old`",
    });
    const config = { ...old.config, oauth: { authServerMetadataUrl: `${place.authority.url}${WELL_KNOWN}` } };
    await place.logins().logIn(config, place.prompt(), NEVER);
    await mcp.client.reconnect("old");
    expect(await callText(mcp.tool("mcp__old__greet"))).toBe("hello");
    place.authority.expireAll();
    expect(await callText(mcp.tool("mcp__old__greet"))).toBe("hello");
    expect(place.authority.problems).toEqual([]);
  });

  test("a call that needs more scopes says so, and the next login asks for them", async () => {
    await using place = await oauthPlace({
      needs: ({ body }) => (body.includes('"tools/call"') ? "write" : "read"),
    });
    await logIn(place);
    await using mcp = await session(place);
    await expect(callTool(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 })).rejects.toThrow(
      "its login lacks the permission write: run `quoll mcp login docs` to grant it",
    );
    expect(mcp.state("docs").status).toBe("connected");
    await mcp.client.logIn("docs", place.prompt(), NEVER);
    expect(
      place.authority.seen.filter(({ path }) => path === "/authorize").map(({ query }) => query.get("scope")),
    ).toEqual(["read", "read write"]);
    expect(await callText(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 })).toBe('{"sum":2}');
  });

  test("a call that needs more scopes asks the person once, logs in and is made", async () => {
    let needed = "write";
    await using place = await oauthPlace({
      needs: ({ body }) => (body.includes('"tools/call"') ? needed : "read"),
    });
    await logIn(place);
    const asked: McpElicitation[] = [];
    const answers = ["accept", "accept", "decline"] as const;
    await using mcp = await mcpHarness({
      logins: place.logins(),
      elicit: async (request) => {
        asked.push(request);
        // The person opens the page, because there is no browser here.
        if (request.url !== undefined) void fetch(request.url);
        return { action: answers[asked.length - 1] ?? "decline" };
      },
    });
    await mcp.start(place.web.config("docs"));
    const call = () => callText(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 });
    expect(await call()).toBe('{"sum":2}');
    expect(asked.map(({ mode, message, isOwn }) => [mode, message, isOwn])).toEqual([
      ["form", expect.stringContaining("needs the permission write, which your login lacks"), true],
      ["url", "The login page could not be opened.", true],
    ]);
    needed = "admin";
    for (const _ of [1, 2]) await expect(call()).rejects.toThrow("its login lacks the permission admin");
    expect(asked).toHaveLength(3);
  });

  test("a token endpoint that fails leaves the login as it is, and the next attempt renews it", async () => {
    let isBroken = false;
    await using place = await oauthPlace({
      knobs: { intercept: (path) => (isBroken && path === "/token" ? new Response("", { status: 503 }) : undefined) },
    });
    await logIn(place);
    await using mcp = await session(place);
    place.authority.expireAll();
    isBroken = true;
    const add = mcp.tool("mcp__docs__add_numbers");
    await expect(callTool(add, { a: 1, b: 1 })).rejects.toThrow(
      'The MCP server "docs" refused this call: its login could not be renewed (HTTP 503). Nothing was run.',
    );
    isBroken = false;
    expect(await callText(add, { a: 1, b: 1 })).toBe('{"sum":2}');
    expect(place.authority.count("/authorize")).toBe(1);
  });

  test("a server that refuses every token is asked a bounded number of times", async () => {
    let isBroken = false;
    await using place = await oauthPlace({
      intercept: () => (isBroken ? new Response("no", { status: 401 }) : undefined),
    });
    await logIn(place);
    isBroken = true;
    const before = place.web.seen.length;
    await using mcp = await session(place);
    expect(mcp.state("docs").status).toBe("needs-auth");
    expect(place.web.seen.length - before).toBe(2);
    expect(place.authority.count("/token")).toBe(2);
  });

  test("a client with its own credentials needs no person, and gets a new token with the scopes of a call", async () => {
    await using place = await oauthPlace({
      needs: ({ body }) => (body.includes('"tools/call"') ? "write" : "read"),
      knobs: { metadata: { token_endpoint_auth_methods_supported: ["client_secret_basic"] } },
    });
    const oauth = { grant: "client_credentials", clientId: "machine", clientSecret: "its secret" } as const;
    const entry = { name: "docs", isDisabled: false, kind: "http", url: place.web.url, headers: {} } as const;
    await using mcp = await mcpHarness({ logins: place.logins() });
    await mcp.start({ ...entry, oauth }, { ...entry, name: "wrong", oauth: { ...oauth, clientSecret: "another" } });
    expect(mcp.state("docs")).toMatchObject({ status: "connected", hasLogin: true });
    expect(mcp.state("wrong")).toMatchObject({ status: "failed", error: "it got no token (invalid_client)" });
    expect(await callText(mcp.tool("mcp__docs__add_numbers"), { a: 1, b: 1 })).toBe('{"sum":2}');
    expect(place.authority.count("/authorize")).toBe(0);
    await expect(place.logins().logIn({ ...entry, oauth }, place.prompt(), NEVER)).rejects.toThrow(
      "it logs in automatically, with the client of its configuration",
    );
  });

  deepTest("a new token that the server refuses is not renewed again", async () => {
    await using place = await oauthPlace();
    await logIn(place);
    const login = place.logins().of({ name: "docs", isDisabled: false, kind: "http", url: place.web.url, headers: {} });
    const first = await login?.token(NEVER);
    const second = await login?.tokenAfter(first, {}, NEVER);
    expect(second).not.toBe(first);
    expect(await login?.tokenAfter(second, {}, NEVER)).toBeUndefined();
    expect(place.authority.count("/token")).toBe(2);
  });

  test("logging out revokes the tokens and removes the login", async () => {
    await using place = await oauthPlace();
    await logIn(place);
    await using mcp = await session(place);
    expect(await mcp.client.logOut("docs", NEVER)).toBe("Logged out of docs: the saved login was removed.");
    expect(mcp.state("docs").status).toBe("needs-auth");
    expect(mcp.client.tools()).toEqual([]);
    expect(place.authority.refresh.size).toBe(0);
    expect(readFileSync(place.home.path("config/mcp-credentials.json"), "utf8")).not.toContain("at-");
    expect(await place.logins().logOut(place.web.config("docs"), NEVER)).toBe("There was no login to docs.");
  });
});

describe("a login is refused", () => {
  test("an answer with a wrong state does not count, and the right one after it does", async () => {
    await using place = await oauthPlace();
    const visit = async (address: string) => {
      const redirect = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
      redirect.search = "?code=stolen&state=other";
      expect((await fetch(redirect)).status).toBe(400);
      await fetch(address);
    };
    expect(await logIn(place, visit)).toStartWith("Logged in to docs");
    expect(place.told).toEqual(["An answer that belongs to another login was refused. Still waiting …"]);
    expect(place.authority.problems).toEqual([]);
  });

  test.each([
    [
      "an answer from another issuer",
      { redirect: { iss: "https://other.example" } },
      "the answer comes from a different authorization server",
    ],
    ["a person who says no", { redirect: { error: "access_denied" } }, "the login was denied"],
    [
      "metadata of another issuer",
      { metadata: { issuer: "https://other.example" } },
      "belongs to another issuer (https://other.example)",
    ],
    [
      "a token endpoint without encryption",
      { metadata: { token_endpoint: "http://other.example/token" } },
      "http://other.example is not encrypted, so Quoll does not log in there (https is needed)",
    ],
    ["a server without PKCE", { metadata: { code_challenge_methods_supported: ["plain"] } }, "does not support PKCE"],
    [
      "metadata behind a redirect to another host",
      {
        intercept: (path: string) =>
          path.startsWith("/.well-known/") ? Response.redirect("http://localhost:9/elsewhere", 302) : undefined,
      },
      "publishes no metadata",
    ],
    [
      "metadata with an error",
      {
        intercept: (path: string) => (path.startsWith("/.well-known/") ? new Response("", { status: 500 }) : undefined),
      },
      /the metadata of http:\S+ is unusable \(HTTP 500 /,
    ],
  ])("%s", async (_, knobs, message) => {
    await using place = await oauthPlace({ knobs });
    await expect(logIn(place)).rejects.toThrow(message);
    expect(place.authority.count("/token")).toBe(0);
  });

  test("a resource that is not the server", async () => {
    await using place = await oauthPlace({ resource: { resource: "https://other.example/mcp" } });
    await expect(logIn(place)).rejects.toThrow(
      "names the resource https://other.example/mcp, which is not its own address",
    );
    expect(place.authority.seen).toEqual([]);
  });

  test("a port for the answer that another program uses", async () => {
    await using place = await oauthPlace();
    const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
    const oauth = { clientId: "mine", callbackPort: taken.port ?? 0 };
    const config = { name: "docs", isDisabled: false, kind: "http", url: place.web.url, headers: {}, oauth } as const;
    await expect(place.logins().logIn(config, place.prompt(), NEVER)).rejects.toThrow(
      `the port ${taken.port} for the browser's answer is taken: close the program that uses it`,
    );
    await taken.stop(true);
  });

  test("a server without encryption", async () => {
    await using place = await oauthPlace();
    const config = {
      name: "far",
      isDisabled: false,
      kind: "http",
      url: "http://far.example/mcp",
      headers: {},
    } as const;
    await expect(place.logins().logIn(config, place.prompt(), NEVER)).rejects.toThrow(
      "http://far.example is not encrypted",
    );
  });

  test("an address on this machine, named by a server on another one", async () => {
    const limited = limitedFetch(fetch, NEVER, { serverUrl: "https://far.example/mcp" });
    await expect(limited("http://127.0.0.1:1/register")).rejects.toThrow(
      "it names the address http://127.0.0.1:1, which is on this machine",
    );
  });

  test.each([
    "https://127.0.0.1/x",
    "https://localhost./x",
    "https://0.0.0.0/x",
    "https://[::]/x",
    "https://[::1]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
  ])("a redirect of metadata to %s", async (target) => {
    const asked: string[] = [];
    const redirecting = async (url: string | URL) => {
      asked.push(String(url));
      return new Response(null, { status: 302, headers: { location: target } });
    };
    const limited = limitedFetch(redirecting, NEVER, { serverUrl: "https://far.example/mcp" });
    await expect(limited("https://far.example/about")).rejects.toThrow("which is on this machine");
    expect(asked).toEqual(["https://far.example/about"]);
  });

  test("a second redirect of metadata to an address without encryption, and every redirect of a token request", async () => {
    const places = new Map([
      ["https://far.example/1", "https://far.example/2"],
      ["https://far.example/2", "http://far.example/3"],
    ]);
    const redirecting = async (url: string | URL) =>
      new Response(null, { status: 307, headers: { location: places.get(String(url)) ?? "" } });
    const limited = limitedFetch(redirecting, NEVER, { serverUrl: "https://far.example/mcp" });
    await expect(limited("https://far.example/1")).rejects.toThrow("http://far.example is not encrypted");
    await expect(limited("https://far.example/1", { method: "POST", body: "secret=x" })).rejects.toThrow(
      "far.example redirects the request for a login",
    );
  });

  test("credentials of a client for an authorization server of another origin that the server names", async () => {
    await using place = await oauthPlace();
    const asked: string[] = [];
    const answers = new Map<string, unknown>([
      [
        "https://far.example/.well-known/oauth-protected-resource/mcp",
        { resource: "https://far.example/mcp", authorization_servers: ["https://idp.example"] },
      ],
      [
        "https://idp.example/.well-known/oauth-authorization-server",
        {
          issuer: "https://idp.example",
          authorization_endpoint: "https://idp.example/authorize",
          token_endpoint: "https://idp.example/token",
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        },
      ],
      ["https://idp.example/token", { access_token: "a-token-of-the-client", token_type: "bearer" }],
    ]);
    const answering = async (url: string | URL) => {
      asked.push(String(url));
      const body = answers.get(String(url));
      return body === undefined ? new Response(null, { status: 404 }) : Response.json(body);
    };
    const oauth = { grant: "client_credentials", clientId: "machine", clientSecret: "its secret" } as const;
    const entry = {
      name: "far",
      isDisabled: false,
      kind: "http",
      url: "https://far.example/mcp",
      headers: {},
    } as const;
    const logins = place.logins(answering);
    await expect(logins.of({ ...entry, oauth })?.tokenAfter(undefined, {}, NEVER)).rejects.toThrow(
      "it wants the client's secret to go to https://idp.example: if that is right, set oauth.authServerMetadataUrl",
    );
    expect(asked).not.toContain("https://idp.example/token");
    const authServerMetadataUrl = "https://idp.example/.well-known/oauth-authorization-server";
    const named = logins.of({ ...entry, oauth: { ...oauth, authServerMetadataUrl } });
    expect(await named?.tokenAfter(undefined, {}, NEVER)).toBe("a-token-of-the-client");
  });

  test("the secret of a client for another authorization server than the one that got it first", async () => {
    const resource: Record<string, unknown> = {};
    await using place = await oauthPlace({ resource });
    await using other = oauthServer({});
    const oauth = { clientId: "machine", clientSecret: "its secret" };
    const entry = { name: "docs", isDisabled: false, kind: "http", url: place.web.url, headers: {}, oauth } as const;
    const asked: string[] = [];
    const logIn = (isRight?: boolean) => {
      const confirm = async (question: string) => asked.push(question) > 0 && isRight === true;
      const prompt = { ...place.prompt(), ...(isRight !== undefined && { confirm }) };
      return place.logins().logIn(entry, prompt, NEVER);
    };
    expect(await logIn()).toContain("Logged in to docs");
    expect(await logIn()).toContain("Logged in to docs");
    // Without a login, the server can name another one.
    await place.logins().logOut(entry, NEVER);
    resource["authorization_servers"] = [other.url];
    const both = `was ${place.authority.url} and is now ${other.url}`;
    await expect(logIn()).rejects.toThrow(both);
    await expect(logIn(false)).rejects.toThrow("oauth.authServerMetadataUrl");
    expect(other.count("/authorize")).toBe(0);
    expect(await logIn(true)).toContain("Logged in to docs");
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(both);
    expect(await logIn()).toContain("Logged in to docs");
  });

  test("a token endpoint that does not answer in time", async () => {
    const slow = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => undefined) });
    const limited = limitedFetch(fetch, NEVER, { serverUrl: slow.url.href, limitMs: 20 });
    const { host } = slow.url;
    await expect(limited(slow.url)).rejects.toThrow(`${host} did not answer within 0.02 s`);
    await slow.stop(true);
  });
});
