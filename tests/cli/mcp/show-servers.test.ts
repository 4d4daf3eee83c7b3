import { expect, test } from "bun:test";
import type { ProbedServer } from "../../../src/app/mcp/probe-servers.ts";
import { listLines, serverJson, serverLines } from "../../../src/cli/mcp/show-servers.ts";
import { parseMcpConfig } from "../../../src/services/mcp/config/parse-config.ts";

function probed(name: string, entry: object): ProbedServer {
  const text = JSON.stringify({ mcpServers: { [name]: entry } });
  const [config] = parseMcpConfig(text, { source: "mcp.json", environment: { TOKEN: "s3cret" } }).servers;
  if (!config) throw new Error("There is no server.");
  const state = { name, kind: "stdio", scope: "user", status: "failed", toolPrefix: "mcp__x__", tools: 0 } as const;
  return { config, state: { ...state, notes: [] }, tools: [] };
}

test("servers are shown with the names of variables, not their values, and with revealed names", () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the file, not of this program.
  const local = probed("a\u001b[2J", { command: "run", args: ["--token", "${TOKEN}"] });
  const remote = probed("b", { type: "http", url: "http://127.0.0.1:1/${TOKEN}/mcp" });
  expect([serverJson(local).target, serverJson(remote).target]).toEqual([
    "run --token ${TOKEN}",
    "http http://127.0.0.1:1/…",
  ]);
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
  const lines = [
    ...listLines({ servers: [local, remote], leftOut: [], warnings: [], names: [] }),
    ...serverLines(local),
  ].join("\n");
  expect([lines.includes("\u001b"), lines.includes("s3cret")]).toEqual([false, false]);
});

test("a server that is late because of a download is shown with the longer limit", () => {
  const error = "it did not answer within 30 s";
  const [npx, own] = ["/usr/bin/npx", "own"].map((command) => {
    const server = probed("x", { command });
    return serverLines({ ...server, state: { ...server.state, error, isLate: true } })[1];
  });
  expect(npx).toBe(`  failed: ${error}: it may still be downloading: --timeout 60 waits longer`);
  expect(own).toBe(`  failed: ${error}`);
});
