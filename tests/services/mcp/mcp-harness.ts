import { expect } from "bun:test";
import { join } from "node:path";
import type { Progress } from "../../../src/contracts/display.ts";
import type { McpServerState } from "../../../src/contracts/mcp.ts";
import { textOf } from "../../../src/contracts/message.ts";
import { makeGrant } from "../../../src/contracts/subject.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/contracts/tool.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { childEnvironment } from "../../../src/platform/processes/child-environment.ts";
import { withheldVariables } from "../../../src/platform/processes/credential-variables.ts";
import { OrphanWatch } from "../../../src/platform/processes/orphan-watch.ts";
import { processesWithTag } from "../../../src/platform/processes/process-table.ts";
import type { McpServerConfig } from "../../../src/services/mcp/config/server-config.ts";
import type { ConnectionDeps } from "../../../src/services/mcp/connection-deps.ts";
import { McpClient } from "../../../src/services/mcp/mcp-client.ts";
import { MCP_LIMITS } from "../../../src/services/mcp/mcp-limits.ts";
import { tempProject } from "../../support/temp-project.ts";
import { toolContext as anyContext } from "../../support/tool-context.ts";

const RAW_SERVER = join(import.meta.dir, "servers", "raw-server.ts");
export const SDK_SERVER = join(import.meta.dir, "servers", "sdk-server.ts");

/** A program of this folder as a configured server. */
export function programServer(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): McpServerConfig {
  return { name, isDisabled: false, kind: "stdio", command: process.execPath, args, env };
}

export function rawServer(name: string, behaviour = "plain", ...more: readonly string[]): McpServerConfig {
  return programServer(name, [RAW_SERVER, behaviour, ...more]);
}

export type HarnessOptions = Partial<ConnectionDeps> & { readonly variables?: Readonly<Record<string, string>> };

/** A client with everything real around it. At the end of its scope nothing that it started may live. */
export async function mcpHarness({ variables = {}, ...options }: HarnessOptions = {}) {
  const project = await tempProject();
  const base = { PATH: process.env["PATH"] ?? "", HOME: project.dir, ...variables };
  const tags: string[] = [];
  const orphans = new OrphanWatch({});
  const client = new McpClient({
    clock: systemClock,
    limits: MCP_LIMITS,
    cwd: project.dir,
    version: "0.0.0-test",
    orphans,
    environment: async (tag) => {
      tags.push(tag);
      return childEnvironment(base, { path: base.PATH, tag });
    },
    withheld: () => withheldVariables(base),
    roots: () => [project.dir],
    ...options,
  });
  return {
    client,
    project,
    tags,
    alive: () => tags.flatMap((tag) => processesWithTag(tag)),
    state(name: string): McpServerState {
      const found = client.states.find((state) => state.name === name);
      if (!found) throw new Error(`There is no server ${name}.`);
      return found;
    },
    tool(name: string): Tool {
      const found = client.tools().find(({ spec }) => spec.name === name);
      if (!found) throw new Error(`There is no tool ${name}, only ${client.tools().map(({ spec }) => spec.name)}.`);
      return found;
    },
    async start(...configs: readonly McpServerConfig[]) {
      client.add(configs);
      await client.settled();
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      orphans.close();
      const left = tags.flatMap((tag) => processesWithTag(tag));
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      await project[Symbol.asyncDispose]();
      expect(left.map((row) => row.command())).toEqual([]);
    },
  };
}

export function toolContext(signal = new AbortController().signal): ToolContext {
  return anyContext({ toolUseId: "t1", signal });
}

const grant = makeGrant({ toolUseId: "t1", confinement: "none", decidedBy: { kind: "default" }, notes: [] });

export async function callTool(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  { signal, report = () => undefined }: { signal?: AbortSignal; report?: (progress: Progress) => void } = {},
): Promise<ToolResult> {
  return (await tool.prepare(input, toolContext(signal))).run(grant, report);
}

export async function callText(tool: Tool, input: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return textOf((await callTool(tool, input)).content);
}
