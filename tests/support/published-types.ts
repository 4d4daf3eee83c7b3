import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./built.ts";

type Line = Readonly<Record<string, unknown>>;

/**
 * Fields of a message and its usage in the published types that only one provider could fill: docs/protocol.md,
 * Compatibility.
 */
const MESSAGE = { container: null, context_management: null, diagnostics: null, stop_details: null };
const USAGE = {
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  fallback_credit: null,
  inference_geo: "",
  iterations: [],
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: { web_fetch_requests: 0, web_search_requests: 0 },
  service_tier: "standard",
  speed: "standard",
};

/**
 * Checks lines of stream-json against the types that the published client gives its users, by the compiler.
 * @returns its errors; empty when each line is one that a program knows.
 */
export async function typeErrors(lines: readonly Line[]): Promise<string> {
  const folder = join(ROOT, "node_modules", ".cache", `published-types.${process.pid}.${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  try {
    const config = { noEmit: true, strict: true, skipLibCheck: true, types: [], module: "preserve", target: "esnext" };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: config, files: ["lines.ts"] }));
    writeFileSync(join(folder, "lines.ts"), [...HEAD, ...lines.map(asCheck)].join("\n"));
    const child = Bun.spawn([join(ROOT, "node_modules/.bin/tsc"), "-p", folder], { stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    await child.exited;
    return out + err;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const HEAD = [
  'import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";',
  "type Plain<T> = T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T;",
  "declare function plain<const T>(line: T): Plain<T>;",
  "declare function check(line: SDKMessage): void;",
];

function asCheck(line: Line): string {
  return `check(plain(${JSON.stringify(completed(line))}));`;
}

/** The line with the fields that are left out on purpose. */
function completed(line: Line): Line {
  if (line["type"] === "system" && line["subtype"] === "init") return { ...line, claude_code_version: "" };
  if (line["type"] === "result") return { ...line, usage: { ...USAGE, ...object(line["usage"]) } };
  if (line["type"] === "assistant") return { ...line, message: message(line["message"]) };
  if (line["type"] === "stream_event") return { ...line, event: streamEvent(object(line["event"])) };
  return line;
}

function streamEvent(event: Line): Line {
  if (event["type"] === "message_start") return { ...event, message: message(event["message"]) };
  const { delta, usage } = event;
  if (event["type"] === "content_block_start") return { ...event, content_block: block(event["content_block"]) };
  if (event["type"] === "message_delta") {
    const { context_management, container, stop_details } = MESSAGE;
    return {
      ...event,
      context_management,
      delta: { container, stop_details, ...object(delta) },
      usage: { ...USAGE, ...object(usage) },
    };
  }
  const isThinking = event["type"] === "content_block_delta" && object(delta)["type"] === "thinking_delta";
  return isThinking ? { ...event, delta: { estimated_tokens: null, ...object(delta) } } : event;
}

function message(value: unknown): Line {
  const given = object(value);
  const content = Array.isArray(given["content"]) ? given["content"].map(block) : given["content"];
  return { ...MESSAGE, ...given, content, usage: { ...USAGE, ...object(given["usage"]) } };
}

function block(value: unknown): Line {
  const given = object(value);
  return given["type"] === "text" ? { citations: null, ...given } : given;
}

function object(value: unknown): Line {
  return typeof value === "object" && value !== null ? (value as Line) : {};
}
