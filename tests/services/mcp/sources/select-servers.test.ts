import { describe, expect, test } from "bun:test";
import type { McpServerConfig } from "../../../../src/services/mcp/config/server-config.ts";
import { type Candidate, type Selection, selectServers } from "../../../../src/services/mcp/sources/select-servers.ts";
import { forbiddenBy, type ServerPolicy } from "../../../../src/services/mcp/sources/server-policy.ts";

function program(name: string, command: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  return { name, isDisabled: false, kind: "stdio", command, args: [], env: {}, ...more } as McpServerConfig;
}

function remote(name: string, url: string): McpServerConfig {
  return { name, isDisabled: false, kind: "http", url, headers: {} };
}

function at(scope: Candidate["scope"], config: McpServerConfig, approval?: Candidate["approval"]): Candidate {
  return { config, scope, source: `${scope} file`, ...(approval && { approval }) };
}

function names({ servers, leftOut }: Selection) {
  return { starts: servers.map(({ name }) => name), left: leftOut.map(({ name, reason }) => [name, reason]) };
}

describe("selectServers", () => {
  test("a server of a stronger scope hides one with its name", () => {
    const chosen = selectServers([at("local", program("a", "x")), at("user", program("a", "y"))], {});
    expect(names(chosen)).toEqual({ starts: ["a"], left: [["a", "overridden"]] });
    expect(chosen.leftOut[0]?.why).toBe("local file has a server named a too");
  });

  test("the same program or address from two sources starts once, from one source as often as it is there", () => {
    const chosen = selectServers(
      [
        at("local", program("one", "x")),
        at("user", program("two", "x")),
        at("user", remote("web", "https://example.com/mcp")),
        at("project", remote("copy", "https://example.com/mcp/"), "approved"),
        at("user", program("three", "y")),
        at("user", program("four", "y")),
      ],
      {},
    );
    expect(names(chosen)).toEqual({
      starts: ["one", "web", "three", "four"],
      left: [
        ["two", "same"],
        ["copy", "same"],
      ],
    });
  });

  test("a project's server starts only if it is approved, and hides no other one before that", () => {
    for (const approval of ["new", "changed", "refused", "untrusted"] as const) {
      const chosen = selectServers([at("project", program("a", "x"), approval), at("user", program("a", "y"))], {});
      expect(chosen.servers).toEqual([program("a", "y")]);
      expect(chosen.leftOut).toHaveLength(1);
    }
    const approved = selectServers([at("project", program("a", "x"), "approved")], {});
    expect(names(approved).starts).toEqual(["a"]);
  });

  test("a disabled server of the person hides the project's server with its name", () => {
    const off = program("a", "x", { isDisabled: true });
    const chosen = selectServers([at("local", off), at("project", program("a", "x"), "approved")], {});
    expect(chosen.servers).toEqual([off]);
  });
});

describe("the administrator's lists", () => {
  const npx = program("github", "npx", { args: ["-y", "server"] } as Partial<McpServerConfig>);
  const web = remote("web", "https://mcp.Example.com/v1/mcp?key=1");
  const cases: readonly [string, ServerPolicy, McpServerConfig, boolean][] = [
    ["no list allows all", {}, npx, true],
    ["an empty list allows none", { allowed: [] }, npx, false],
    ["a name allows", { allowed: [{ serverName: "github" }] }, npx, true],
    ["an exact command allows", { allowed: [{ serverCommand: ["npx", "-y", "server"] }] }, npx, true],
    ["another command does not", { allowed: [{ serverCommand: ["npx", "server"] }] }, npx, false],
    [
      "a name is not enough where commands are listed",
      { allowed: [{ serverName: "github" }, { serverCommand: ["x"] }] },
      npx,
      false,
    ],
    [
      "a name is enough where only addresses are listed",
      { allowed: [{ serverName: "github" }, { serverUrl: "https://*" }] },
      npx,
      true,
    ],
    ["a pattern allows", { allowed: [{ serverUrl: "https://*.example.com/*" }] }, web, true],
    ["scheme and host may be any", { allowed: [{ serverUrl: "*://*.EXAMPLE.com/*" }] }, web, true],
    [
      "a host in the path does not match",
      { allowed: [{ serverUrl: "https://*.example.com/*" }] },
      remote("web", "https://evil.org/a.example.com/mcp"),
      false,
    ],
    [
      "a user name that looks like a host does not match",
      { allowed: [{ serverUrl: "https://*.example.com/*" }] },
      remote("web", "https://a.example.com@evil.org/mcp"),
      false,
    ],
    [
      "any port includes the default one",
      { allowed: [{ serverUrl: "http://localhost:*/*" }] },
      remote("web", "http://localhost/mcp"),
      true,
    ],
    [
      "a deny rule is stronger",
      { allowed: [{ serverName: "github" }], denied: [{ serverCommand: ["npx", "-y", "server"] }] },
      npx,
      false,
    ],
    ["a server of the program itself is never forbidden", { allowed: [] }, inProgram(), true],
  ];

  test.each(cases)("%s", (_, policy, config, isAllowed) => {
    expect(forbiddenBy(config, policy) === undefined).toBe(isAllowed);
  });

  test("a forbidden server is left out with a reason", () => {
    const { leftOut } = selectServers([at("user", npx)], { denied: [{ serverName: "github" }] });
    expect(leftOut).toEqual([
      {
        name: "github",
        scope: "user",
        reason: "forbidden",
        why: "deniedMcpServers in the managed settings forbids it",
      },
    ]);
  });
});

function inProgram(): McpServerConfig {
  return { name: "calc", isDisabled: false, kind: "sdk", server: "calc" };
}
