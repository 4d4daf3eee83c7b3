import { homedir } from "node:os";
import { textOf } from "../../../src/contracts/message.ts";
import { makeGrant } from "../../../src/contracts/subject.ts";
import type { Tool, ToolCall, ToolPorts, ToolResult } from "../../../src/contracts/tool.ts";
import { ripgrepFinder } from "../../../src/platform/ripgrep.ts";
import { editTool } from "../../../src/services/tools/edit/edit.ts";
import { globTool } from "../../../src/services/tools/glob/glob.ts";
import { grepTool } from "../../../src/services/tools/grep/grep.ts";
import { readTool } from "../../../src/services/tools/read/read.ts";
import { ReadTracker } from "../../../src/services/tools/read-tracker.ts";
import { writeTool } from "../../../src/services/tools/write/write.ts";
import { testDocuments } from "../../support/test-documents.ts";
import { toolContext } from "../../support/tool-context.ts";

const grant = makeGrant({ toolUseId: "t", confinement: "none", decidedBy: { kind: "default" }, notes: [] });

export const ripgrep = ripgrepFinder({ environment: process.env, isTrusted: () => true });
export const noRipgrep = async () => undefined;

type Raw = Readonly<Record<string, unknown>>;

/** The file tools on one folder, that share one ReadTracker, as in a session. */
export function fileTools(
  cwd: string,
  options: {
    isHidden?: (path: string) => boolean;
    rg?: typeof ripgrep;
    home?: string;
    documents?: typeof testDocuments;
    accepts?: ToolPorts["accepts"];
  } = {},
) {
  const { isHidden = () => false, rg = ripgrep, home = homedir(), documents = testDocuments, accepts } = options;
  const tracker = new ReadTracker();
  const deps = { home, tracker, isHidden, ripgrep: rg, documents };
  const tools = {
    read: readTool(deps),
    write: writeTool(deps),
    edit: editTool(deps),
    glob: globTool(deps),
    grep: grepTool(deps),
  };
  const context = (signal = new AbortController().signal) => toolContext({ cwd, signal, ...(accepts && { accepts }) });
  const prepare = (tool: Tool, raw: Raw, signal?: AbortSignal) => tool.prepare(raw, context(signal));
  const result = async (tool: Tool, raw: Raw) => runCall(await prepare(tool, raw));
  const text = async (tool: Tool, raw: Raw) => textOf((await result(tool, raw)).content);
  return {
    tracker,
    tools,
    prepare: {
      read: (raw: Raw, signal?: AbortSignal) => prepare(tools.read, raw, signal),
      write: (raw: Raw, signal?: AbortSignal) => prepare(tools.write, raw, signal),
      edit: (raw: Raw, signal?: AbortSignal) => prepare(tools.edit, raw, signal),
      glob: (raw: Raw, signal?: AbortSignal) => prepare(tools.glob, raw, signal),
      grep: (raw: Raw, signal?: AbortSignal) => prepare(tools.grep, raw, signal),
    },
    result: (name: keyof typeof tools, raw: Raw) => result(tools[name], raw),
    read: (raw: Raw | string) => text(tools.read, typeof raw === "string" ? { file_path: raw } : raw),
    write: (file_path: string, content: string) => text(tools.write, { file_path, content }),
    edit: (raw: Raw) => text(tools.edit, raw),
    glob: (raw: Raw | string) => text(tools.glob, typeof raw === "string" ? { pattern: raw } : raw),
    grep: (raw: Raw | string) => text(tools.grep, typeof raw === "string" ? { pattern: raw } : raw),
  };
}

export function runCall(call: ToolCall): Promise<ToolResult> {
  return call.run(grant, () => {});
}

/** The message with which a promise fails. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("It was expected to fail.");
}

/** A small generator of repeatable randomness (mulberry32). */
export function seeded(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { next, below, pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item };
}
