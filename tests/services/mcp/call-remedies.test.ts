import { expect, test } from "bun:test";
import type { McpElicitation, McpElicitationReply } from "../../../src/contracts/mcp.ts";
import { callText, mcpHarness, rawServer } from "./mcp-harness.ts";

/** The first call of this server needs the person at a page; then it says that the person is done there. */
async function needingPage(reply: McpElicitationReply) {
  const asked: McpElicitation[] = [];
  const mcp = await mcpHarness({
    elicit: async (request) => {
      asked.push(request);
      return reply;
    },
  });
  await mcp.start(rawServer("shop", "needs-page"));
  return { mcp, asked };
}

test("a call that needs a page asks the person to open it, waits until it is done, and is sent once more", async () => {
  const { mcp, asked } = await needingPage({ action: "accept" });
  await using _ = mcp;
  expect(await callText(mcp.tool("mcp__shop__echo"), { text: "x" })).toBe("done");
  expect(asked).toEqual([{ server: "shop", mode: "url", url: "https://shop.example/pay", message: "Pay first." }]);
});

test("a call that needs a page fails if the person does not open it", async () => {
  const { mcp } = await needingPage({ action: "decline" });
  await using _ = mcp;
  await expect(callText(mcp.tool("mcp__shop__echo"), { text: "x" })).rejects.toThrow("Pay first.");
});
