import { describe, expect, test } from "bun:test";
import { expandVariables, parseMcpConfig } from "../../../../src/services/mcp/config/parse-config.ts";
import { readMcpConfigs } from "../../../../src/services/mcp/config/read-configs.ts";
import { MCP_LIMITS, mcpLimits } from "../../../../src/services/mcp/mcp-limits.ts";
import { tempProject } from "../../../support/temp-project.ts";

const environment = { HOME: "/home/ada", TOKEN: "s3cret", EMPTY: "" };
const never = new AbortController().signal;

function parse(servers: object) {
  return parseMcpConfig(JSON.stringify({ mcpServers: servers }), { source: ".mcp.json", environment });
}

function problem(entry: unknown): string | undefined {
  const [server] = parse({ x: entry }).servers;
  return server?.kind === "invalid" ? server.problem : undefined;
}

describe("servers", () => {
  test("of one file are at most 200, and one warning says so", () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`s${at}`, { command: "x" }]));
    const parsed = parse(many);
    expect(parsed.servers).toHaveLength(200);
    expect(parsed.warnings).toEqual([".mcp.json has 20000 MCP servers: only the first 200 are used."]);
  });

  test("programs, remote servers and those of the other program are read, variables expanded", () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the file, not of this program.
    const parsed = parse({
      local: {
        command: "${HOME}/bin/server",
        args: ["--port", 8080, "${NOT_SET:-fallback}", true],
        env: { TOKEN: "${TOKEN}", COUNT: 3 },
        cwd: "sub",
        timeout: 5_000,
      },
      web: { type: "http", url: "https://${EMPTY:-example.com}/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
      short: { url: "http://127.0.0.1:1/" },
      old: { type: "sse", url: "http://127.0.0.1:1/sse" },
      alias: { type: "streamable-http", url: "http://127.0.0.1:1/" },
      calc: { type: "sdk", name: "calculator" },
      off: { type: "stdio", command: "x", disabled: true },
    });
    expect(parsed).toEqual({
      servers: [
        {
          name: "local",
          isDisabled: false,
          callTimeoutMs: 5_000,
          kind: "stdio",
          written: "${HOME}/bin/server --port 8080 ${NOT_SET:-fallback} true",
          command: "/home/ada/bin/server",
          args: ["--port", "8080", "fallback", "true"],
          env: { TOKEN: "s3cret", COUNT: "3" },
          cwd: "sub",
        },
        {
          name: "web",
          isDisabled: false,
          kind: "http",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer s3cret" },
        },
        { name: "short", isDisabled: false, kind: "http", url: "http://127.0.0.1:1/", headers: {} },
        { name: "old", isDisabled: false, kind: "sse", url: "http://127.0.0.1:1/sse", headers: {} },
        { name: "alias", isDisabled: false, kind: "http", url: "http://127.0.0.1:1/", headers: {} },
        { name: "calc", isDisabled: false, kind: "sdk", server: "calculator" },
        { name: "off", isDisabled: true, kind: "stdio", command: "x", args: [], env: {} },
      ],
      warnings: [],
    });
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.
  });

  test.each([
    ["text", "expected an object"],
    [{}, 'expected a "command" to start, or a "url" to reach'],
    [{ type: "ws", url: "ws://x" }, 'type: "ws" is not supported: use "stdio", "http" or "sse"'],
    [{ type: 7 }, 'type: 7 is not supported: use "stdio", "http" or "sse"'],
    [{ command: "" }, "command: it is empty"],
    [{ command: ["a", "b"] }, "command: expected a string"],
    [{ command: "x", args: "--port" }, "args: expected a list"],
    [{ command: "x", args: [{}] }, "args[0]: expected text"],
    [{ command: "x", env: ["A=1"] }, "env: expected an object"],
    [{ type: "http" }, "url: expected a string"],
    [{ url: "example.com" }, 'url: "example.com" is not an http or https address'],
    [{ url: "file:///passwd" }, 'url: "file:///passwd" is not an http or https address'],
    [{ command: "x", timeout: 0 }, "timeout: at least 1"],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file.
      { command: "x", env: { KEY: "${NOT_SET}" } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
      "env.KEY: the variable NOT_SET is not set: set it, or use ${NOT_SET:-default}",
    ],
  ])("%p is refused with its file and key", (entry, what) => {
    const text = problem(entry) ?? "";
    expect(text).toBe(`.mcp.json: mcpServers.x${/^[a-z]+(?:\[0\]|\.KEY)?:/.test(what) ? "." : ": "}${what}`);
  });

  test("one bad entry does not cost the others", () => {
    const kinds = parse({ bad: { command: 1 }, good: { command: "x" } }).servers.map(({ kind }) => kind);
    expect(kinds).toEqual(["invalid", "stdio"]);
  });

  test("a key that nobody knows is named, with the one it may have been meant to be", () => {
    expect(parse({ x: { command: "a", agrs: [], oauth: {}, zzz: 1 } }).warnings).toEqual([
      '.mcp.json: mcpServers.x.agrs is unknown: did you mean "args"?',
      ".mcp.json: mcpServers.x.oauth is unknown.",
      ".mcp.json: mcpServers.x.zzz is unknown.",
    ]);
  });

  test("comments and trailing commas are accepted", () => {
    const text = '{ // ours\n "mcpServers": { "x": { "command": "a", }, }, }';
    expect(parseMcpConfig(text, { source: "f", environment }).servers.length).toBe(1);
  });

  test.each([
    ["{", "f: line 1, column 2: this is not JSON"],
    ['{\n "mcpServers": {\n  x\n }}', "f: line 3, column 3: this is not JSON"],
    ["[]", 'f: expected {"mcpServers"'],
    ["", "f: line 1, column 1: this is not JSON"],
    ['{"x": {"command": "a"}}', 'f: "mcpServers" is missing: expected {"mcpServers"'],
    ['{"mcpServers": []}', "f: mcpServers: expected an object of servers."],
  ])("%p as a whole is refused", (text, message) => {
    expect(() => parseMcpConfig(text, { source: "f", environment })).toThrow(message);
  });

  test("a name that would drive the terminal is shown harmlessly", () => {
    expect(parse({ "\u001b[2J": 1 }).servers[0]).toMatchObject({
      problem: ".mcp.json: mcpServers.␛[2J: expected an object",
    });
  });
});

describe("the value of --mcp-config", () => {
  test("files and texts are read together, the later of one name wins", async () => {
    await using project = await tempProject({
      "a.json": '\ufeff{"mcpServers": {"one": {"command": "a"}, "two": {"command": "a"}}}',
    });
    const values = ["a.json", ' {"mcpServers": {"two": {"command": "b"}}}'];
    const { servers } = await readMcpConfigs(values, { cwd: project.dir, environment }, never);
    expect(servers.map((server) => [server.name, server.kind === "stdio" && server.command])).toEqual([
      ["one", "a"],
      ["two", "b"],
    ]);
  });

  test("a missing or broken file is named", async () => {
    await using project = await tempProject({ "broken.json": "{" });
    const read = (value: string) => readMcpConfigs([value], { cwd: project.dir, environment }, never);
    await expect(read("none.json")).rejects.toThrow(`--mcp-config: `);
    await expect(read("none.json")).rejects.toThrow(project.path("none.json"));
    await expect(read("broken.json")).rejects.toThrow("broken.json: line 1, column 2: this is not JSON");
    await expect(read("{")).rejects.toThrow("--mcp-config: line 1, column 2: this is not JSON");
  });
});

test("a value that holds a reference is not expanded again, and odd ones stay as they are", () => {
  const variables = { A: "$" + "{B}", B: "b" };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what is expanded.
  expect(expandVariables("${A} ${B} $B ${} ${1x} ${C:-} ${C:-x:-y}", variables)).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
    text: "${B} b $B ${} ${1x}  x:-y",
    missing: [],
  });
});

test("limits are set by variables, and nonsense in them changes nothing", () => {
  expect(mcpLimits({ MCP_TIMEOUT: "1000", MCP_TOOL_TIMEOUT: "2000" })).toEqual({
    ...MCP_LIMITS,
    startMs: 1_000,
    callMs: 2_000,
  });
  expect(mcpLimits({ MCP_TIMEOUT: "soon", MCP_TOOL_TIMEOUT: "0" })).toEqual(MCP_LIMITS);
});

describe("the login of a server", () => {
  const oauthOf = (oauth: object) => {
    const entry = { type: "http", url: "https://docs.example/mcp", oauth };
    const { servers, warnings } = parse({ x: entry });
    const [server] = servers;
    return { oauth: server?.kind === "http" ? server.oauth : undefined, problem: problem(entry), warnings };
  };

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the file, not of this program.
  test("takes variables of the environment", () => {
    expect(
      oauthOf({ clientId: "mine", clientSecret: "${TOKEN}", scopes: ["a", "b"], callbackPort: 8080 }).oauth,
    ).toEqual({
      clientId: "mine",
      clientSecret: "s3cret",
      scopes: ["a", "b"],
      callbackPort: 8080,
    });
  });

  test.each([
    [{ clientSecret: "x" }, ".mcp.json: mcpServers.x.oauth: clientSecret needs clientId"],
    [{ clientId: "a", clientSecret: "${NOT_SET}" }, "oauth.clientSecret: the variable NOT_SET is not set"],
    [{ callbackPort: 70_000 }, ".mcp.json: mcpServers.x.oauth.callbackPort"],
    [{ grant: "client_credentials" }, "needs clientId, and clientSecret or privateKey"],
    [{ grant: "password" }, ".mcp.json: mcpServers.x.oauth.grant"],
  ])("%j is refused with its file and key", (oauth, text) => {
    expect(oauthOf(oauth).problem).toContain(text);
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above.

  test("names an unknown field", () => {
    expect(oauthOf({ clientID: "a" }).warnings).toEqual([
      '.mcp.json: mcpServers.x.oauth.clientID is unknown: did you mean "clientId"?',
    ]);
  });
});
