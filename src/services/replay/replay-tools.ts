import type { Tool, ToolCall } from "../../contracts/tool.ts";
import type { BookedCall, CallBook } from "./call-book.ts";

const SERVER_TOOL = "its tool belongs to a server, which a replay does not start";

/** The tools of a session, each run for real unless the book says that a call is given back as it was recorded. */
export function replayTools(tools: readonly Tool[], book: CallBook): readonly Tool[] {
  return tools.map((tool) => ({
    spec: tool.spec,
    prepare: async (raw, context) => {
      const booked = book.find(context.toolUseId);
      if (booked?.notRun !== undefined) return recordedCall(booked);
      const call = await tool.prepare(raw, context);
      if (!booked) return call;
      const back = recordedCall(booked);
      // Whether it may run is known only once it was judged.
      const run: ToolCall["run"] = (grant, report) =>
        booked.notRun === undefined ? call.run(grant, report) : back.run(grant, report);
      return { ...call, run };
    },
  }));
}

/** A tool that is not here, in whose name results are given back. */
export function absentTool(name: string, book: CallBook): Tool {
  return {
    spec: { name, summary: name, description: name, level: "none", inputSchema: { type: "object" } },
    prepare: async (_, { toolUseId }) => {
      const booked = book.find(toolUseId);
      if (!booked) throw new Error(`${name} was called beside the recording.`);
      book.giveBack(booked, SERVER_TOOL);
      return recordedCall(booked);
    },
  };
}

function recordedCall({ recorded, use }: BookedCall): ToolCall {
  return {
    input: use.input,
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: use.name,
    forgiven: [],
    run: async () => ({
      content: recorded?.content ?? "(the recording has no result of this call)",
      isError: recorded?.isError ?? true,
      exemptFromSpill: true,
    }),
  };
}
