import type { Tool, ToolCall } from "../../contracts/tool.ts";
import type { CallMatcher, MatchedCall } from "./call-matcher.ts";

const SERVER_TOOL = "its tool belongs to an MCP server, which a replay does not start";

/** The session's tools. Each call runs for real, unless the matcher returns its recorded result. */
export function replayTools(tools: readonly Tool[], matcher: CallMatcher): readonly Tool[] {
  return tools.map((tool) => ({
    spec: tool.spec,
    prepare: async (raw, context) => {
      const matched = matcher.find(context.toolUseId);
      if (matched?.notRun !== undefined) return recordedCall(matched);
      const call = await tool.prepare(raw, context);
      if (!matched) return call;
      const back = recordedCall(matched);
      // This is known only after the permission judgement.
      const run: ToolCall["run"] = (grant, report) =>
        matched.notRun === undefined ? call.run(grant, report) : back.run(grant, report);
      return { ...call, run };
    },
  }));
}

/** A stand-in for a missing tool that returns recorded results. */
export function absentTool(name: string, matcher: CallMatcher): Tool {
  return {
    spec: { name, summary: name, description: name, level: "none", inputSchema: { type: "object" } },
    prepare: async (_, { toolUseId }) => {
      const matched = matcher.find(toolUseId);
      if (!matched) throw new Error(`${name} was called outside the recording.`);
      matcher.giveBack(matched, SERVER_TOOL);
      return recordedCall(matched);
    },
  };
}

function recordedCall({ recorded, use }: MatchedCall): ToolCall {
  return {
    input: use.input,
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: use.name,
    corrections: [],
    run: async () => ({
      content: recorded?.content ?? "(the recording has no result of this call)",
      isError: recorded?.isError ?? true,
      exemptFromSpill: true,
    }),
  };
}
