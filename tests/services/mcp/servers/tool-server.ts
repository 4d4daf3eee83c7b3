import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

/** A PNG of one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A server made with the protocol's own library: adds numbers, sends pictures, waits, and changes its list. */
export function toolServer(): McpServer {
  const server = new McpServer({ name: "tools", version: "2.0.0" });
  server.registerTool(
    "add.numbers",
    {
      description: "Adds two numbers.",
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ a, b }) => ({
      content: [{ type: "text", text: JSON.stringify({ sum: a + b }) }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool("picture", { description: "A picture, said to be a JPEG." }, async () => ({
    content: [
      { type: "text", text: "Here it is." },
      { type: "image", data: PIXEL, mimeType: "image/jpeg" },
    ],
  }));
  server.registerTool("fail", { description: "Fails." }, async () => ({
    isError: true,
    content: [{ type: "text", text: "The colour is out of stock." }],
  }));
  server.registerTool("wait", { description: "Waits, with progress, until it is cancelled." }, async (extra) => {
    const token = extra._meta?.progressToken;
    for (let step = 1; !extra.signal.aborted; step += 1) {
      if (token !== undefined)
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken: token, progress: step, message: `step ${step}` },
        });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [] };
  });
  server.registerTool("grow", { description: "Adds a tool." }, async () => {
    server.registerTool("grown", { description: "New." }, async () => ({ content: [{ type: "text", text: "grown" }] }));
    return { content: [{ type: "text", text: "There is one more." }] };
  });
  return server;
}
