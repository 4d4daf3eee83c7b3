import type { Sandbox } from "../../contracts/ports.ts";
import type { Tool } from "../../contracts/tool.ts";

/** A tool whose writes the sandbox knows of, so that they are not taken for the work of a confined command. */
export function announceWrites(tool: Tool, sandbox: Sandbox): Tool {
  return {
    ...tool,
    prepare: async (raw, context) => {
      const call = await tool.prepare(raw, context);
      const paths = call.subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
      return {
        ...call,
        run: async (grant, report) => {
          const outside = await sandbox.beginOutside({ makes: paths, mayMakeMore: false }, context.signal);
          try {
            return await call.run(grant, report);
          } finally {
            outside.end();
          }
        },
      };
    },
  };
}
