/**
 * A server made with the protocol's own library whose list of tools is long and changes: `shop-server.ts COUNT [FILE]`. With FILE it
 * answers nothing until that file exists.
 */
import { existsSync } from "node:fs";
import { McpServer, type RegisteredTool } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const [count = "60", gate = ""] = process.argv.slice(2);
const THINGS = ["order", "invoice", "refund", "customer", "parcel", "coupon", "supplier", "shelf", "review", "price"];
const ACTS = ["create", "list", "update", "cancel", "archive", "export", "count", "assign", "merge", "inspect"];
const SOME = Array.from({ length: Number(count) }, (_, at) => `${ACTS[at % 10]}_${THINGS[Math.floor(at / 10) % 10]}`);

while (gate !== "" && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 10));

const server = new McpServer({ name: "shop", version: "1.0.0" });
const told = (text: string) => ({ content: [{ type: "text" as const, text }] });
const offer = (name: string) =>
  server.registerTool(
    name,
    {
      description: `Lets the shop ${name.replace("_", " one ")}. ${"It keeps to the rules of the house. ".repeat(8)}`,
      inputSchema: {
        id: z.string().describe("Number of the record, such as R-17"),
        note: z.string().max(200).optional().describe("A remark for the people of the shop"),
      },
    },
    async ({ id, note }) => told(`${name} ${id}${note === undefined ? "" : `: ${note}`}`),
  );
const offered = new Map<string, RegisteredTool>(SOME.map((name) => [name, offer(name)]));
server.registerTool(
  "change_list",
  { inputSchema: { add: z.string(), remove: z.string() } },
  async ({ add, remove }) => {
    if (add !== "") offered.set(add, offer(add));
    offered.get(remove)?.remove();
    return told("changed");
  },
);
await server.connect(new StdioServerTransport());
