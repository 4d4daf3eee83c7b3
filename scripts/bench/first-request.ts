import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";

const MODEL = "claude-sonnet-4-5";
const TARGET_TOKENS = 4_500;
const CHARS_PER_TOKEN = 4;
const SERVER = join(import.meta.dir, "../../tests/services/mcp/servers/shop-server.ts");
const SERVER_TOOLS = 60;

type Body = {
  readonly system: unknown;
  readonly messages: unknown;
  readonly tools: readonly { readonly name: string }[];
};

/**
 * Tokens of the first request, estimated by its characters: prompt, first message and each tool, without MCP servers; and in all with
 * a server of many tools, which are deferred.
 */
export async function benchFirstRequest(place: BenchPlace): Promise<readonly Measurement[]> {
  const alone = await firstRequest(place, []);
  const servers = { shop: { command: process.execPath, args: [SERVER, String(SERVER_TOOLS)] } };
  const deferred = await firstRequest(place, ["--mcp-config", JSON.stringify({ mcpServers: servers })]);
  const searching = deferred.tools.filter(({ name }) => alone.tools.every((tool) => tool.name !== name));
  const row = (name: string, value: unknown, target?: number): Measurement => ({
    ...{ part: "first-request", name, unit: "tokens", values: [tokensOf(value)] },
    ...(target !== undefined && { target }),
  });
  return [
    row("system prompt", alone.system),
    row("first message", alone.messages),
    ...[...alone.tools, ...searching].map((tool) => row(tool.name, tool)),
    row("in all", alone, TARGET_TOKENS),
    row(`in all, with ${SERVER_TOOLS} deferred MCP tools`, deferred, TARGET_TOKENS),
  ];
}

async function firstRequest({ quoll, project, environment }: BenchPlace, more: readonly string[]): Promise<Body> {
  await using twin = await startTwin({ scenario: [reply("Hello.")] });
  const env = { ...environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "twin" };
  await runMeasured([quoll, "-p", "hello", "--model", MODEL, ...more], { cwd: project, env });
  const body = twin.requests[0]?.body as Body | undefined;
  if (!body) throw new Error("No request was sent.");
  const { system, messages, tools } = body;
  return { system, messages, tools };
}

function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
}
