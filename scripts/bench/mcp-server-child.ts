/** A small MCP server for the bench: `mcp-server-child.ts NAME COUNT` offers COUNT tools. */
import { createInterface } from "node:readline";

const [name = "server", count = "40"] = process.argv.slice(2);
const ACTS = ["create", "list", "update", "close", "assign", "export", "search", "comment"];
const THINGS = ["issue", "order", "invoice", "page", "ticket"];
const schema = {
  type: "object",
  properties: {
    id: { type: "string", description: "Number of the record, such as R-17" },
    note: { type: "string", description: "A remark for the people who read it" },
  },
  required: ["id"],
};
const tools = Array.from({ length: Number(count) }, (_, at) => {
  const act = ACTS[at % ACTS.length] ?? "";
  const thing = THINGS[Math.floor(at / ACTS.length) % THINGS.length] ?? "";
  return {
    name: `${act}_${thing}`,
    description: `Lets ${name} ${act} a ${thing}, with its history.`,
    inputSchema: schema,
  };
});
const serverInfo = { name, version: "1.0.0", description: `Works with the records of ${name}.` };

const answers: Readonly<Record<string, () => unknown>> = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method: string };
  const answer = answers[method];
  if (id !== undefined && answer) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answer() }));
});
