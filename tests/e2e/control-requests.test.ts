import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { REFUSED_REQUESTS } from "../../src/faces/headless/refused-requests.ts";
import { ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const STREAM = ["--output-format", "stream-json", "--input-format", "stream-json"];

type Reply = {
  readonly subtype: string;
  readonly error?: string;
  readonly response?: Readonly<Record<string, unknown>>;
};
type Asked = Readonly<Record<string, unknown>> & { readonly subtype: string };

/** Puts requests to a session before its first message. @returns the replies, by subtype. */
async function ask(
  here: Awaited<ReturnType<typeof quollPlace>>,
  requests: readonly Asked[],
  args: readonly string[] = [],
) {
  const asked = requests.map((request) => ({ type: "control_request", request_id: request.subtype, request }));
  const said = { type: "user", message: { role: "user", content: "hi" } };
  const stdin = [...asked, said].map((line) => JSON.stringify(line)).join("\n");
  const { code, out } = await here.run([...STREAM, ...args], { stdin });
  expect(code).toBe(0);
  const lines = linesOf(out).map(
    (line) => JSON.parse(line) as { type: string; response?: Reply & { request_id: string } },
  );
  const replies = lines.flatMap(({ type, response }) =>
    type === "control_response" && response ? [[response.request_id, response] as const] : [],
  );
  return Object.fromEntries(replies) as Readonly<Record<string, Reply>>;
}

deepTest("rules, settings and cost are reported, without possible secrets", async () => {
  const settings = {
    sandbox: { enabled: false },
    env: { PLAIN_TOKEN: "sesame-4711" },
    providers: { mine: { baseUrl: "http://127.0.0.1:9", headers: { "x-key": "sesame-4712" } } },
    permissions: { deny: ["Bash(curl *)"] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "true", timeout: 3 }] }] },
  };
  await using here = await quollPlace({ settings, scenario: [reply("Hi.")] });
  const subtypes = [
    "get_settings",
    "list_permission_rules",
    "get_session_cost",
    "set_has_subscribers",
    "reload_output_styles",
    "get_hooks_listing",
    "reload_plugins",
  ];
  const args = ["--allowed-tools", "Bash(make)", "--effort", "low"];
  const replies = await ask(
    here,
    subtypes.map((subtype) => ({ subtype })),
    args,
  );
  expect(replies["get_settings"]?.response).toMatchObject({
    effective: { env: ["PLAIN_TOKEN"], providers: { mine: { headers: ["x-key"] } } },
    applied: { model: expect.any(String), effort: "low", thinking: null },
  });
  expect(JSON.stringify(replies)).not.toContain("sesame");
  expect(replies["get_hooks_listing"]?.response).toMatchObject({
    events: [{ name: "Stop", hookCount: 1 }],
    hooks: [{ event: "Stop", matcher: "", source: "userSettings", type: "command", commandText: "true", timeout: 3 }],
    policy: { policyHookCount: 0 },
  });
  expect(replies["list_permission_rules"]?.response).toEqual({
    state: {
      rules: [
        { behavior: "deny", source: "userSettings", rule: "Bash(curl *)", editability: "readonly" },
        { behavior: "allow", source: "cliArg", rule: "Bash(make)", editability: "session" },
      ],
      workspaceDirectories: [],
      originalCwd: here.project.dir,
      managedOnly: false,
    },
  });
  expect(replies["reload_output_styles"]?.response).toEqual({
    available_output_styles: ["default", "concise", "explanatory", "learning"],
  });
  expect(replies["reload_plugins"]?.response).toEqual({
    commands: expect.arrayContaining([
      { name: "commit", description: expect.any(String), argumentHint: expect.any(String) },
    ]),
    ...{ plugins: [], mcpServers: [], error_count: 0 },
    agents: expect.arrayContaining([expect.objectContaining({ name: "Explore" })]),
  });
  expect(replies["get_session_cost"]?.response).toEqual({ text: "No tokens were used yet." });
  expect(replies["set_has_subscribers"]?.subtype).toBe("success");
});

deepTest("an unsupported request is refused with the reason, an unknown one by its name", async () => {
  await using here = await quollPlace({ scenario: [reply("Hi.")] });
  const subtypes = [...Object.keys(REFUSED_REQUESTS), "make_coffee", "toString"];
  const replies = await ask(
    here,
    subtypes.map((subtype) => ({ subtype })),
  );
  expect(Object.fromEntries(subtypes.map((subtype) => [subtype, replies[subtype]?.error]))).toEqual({
    ...Object.fromEntries(
      Object.entries(REFUSED_REQUESTS).map(([name, why]) => [name, `"${name}" is not supported: ${why}`]),
    ),
    make_coffee: 'the control request "make_coffee" is unknown',
    toString: 'the control request "toString" is unknown',
  });
});

deepTest(
  "get_context_usage names whose instruction files they are, and that Quoll does not compact on its own",
  async () => {
    await using here = await quollPlace({
      files: { "AGENTS.md": "Use tabs.\n", "CLAUDE.local.md": "Be brief.\n" },
      settings: { sandbox: { enabled: false }, compaction: { auto: false } },
      scenario: [reply("Hi.")],
    });
    await here.home.write("own/config/QUOLL.md", "Sing.\n");
    const usage = (await ask(here, [{ subtype: "get_context_usage", detail: "summary" }]))["get_context_usage"]
      ?.response;
    expect(usage?.["isAutoCompactEnabled"]).toBe(false);
    const files = usage?.["memoryFiles"] as readonly { readonly path: string; readonly type: string }[];
    expect(Object.fromEntries(files.map(({ path, type }) => [path.split("/").at(-1), type]))).toEqual({
      "QUOLL.md": "User",
      "AGENTS.md": "Project",
      "CLAUDE.local.md": "Local",
    });
  },
);

test("a program calls a tool and reads a resource of a server, and a tool only under the rules of the session", async () => {
  await using here = await quollPlace({ scenario: () => reply("Hi.") });
  const file = join(ROOT, "tests/services/mcp/servers/feature-server.ts");
  const servers = { shop: { command: process.execPath, args: [file] } };
  const options = ["--mcp-config", JSON.stringify({ mcpServers: servers })];
  const requests = [
    { subtype: "mcp_call", tool: "mcp__shop__announce", arguments: {} },
    { subtype: "mcp_read_resource", serverName: "shop", uri: "shop://prices" },
  ];
  const allowed = await ask(here, requests, [...options, "--allowed-tools", "mcp__shop__*"]);
  expect(allowed["mcp_call"]).toMatchObject({ subtype: "success", response: { isError: false } });
  expect(allowed["mcp_read_resource"]).toMatchObject({
    response: { contents: [{ uri: "shop://prices", text: "A spoon costs 5." }] },
  });
  const unasked = await ask(here, requests.slice(0, 1), options);
  expect(unasked["mcp_call"]).toMatchObject({
    subtype: "error",
    error: expect.stringMatching(/did not run.*mcp__shop__announce/s),
  });
  expect(JSON.stringify(unasked)).not.toContain("Next:");
  const bare = await ask(here, [{ subtype: "mcp_call", tool: "announce", arguments: {} }], options);
  expect(bare["mcp_call"]).toMatchObject({ subtype: "error", error: expect.stringContaining("mcp__SERVER__TOOL") });
});
