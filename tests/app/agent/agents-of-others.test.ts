import { expect, test } from "bun:test";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { tempProject } from "../../support/temp-project.ts";

const definition = (fields: string) => `---\nname: reviewer\n${fields}\n---\nReview with care.\n`;

test.each([
  ["a colon in its description", "description: For privacy. Triggers on: consent, deletion\ntools: Read", ["Read"]],
  ["a colon and a number sign", 'description: Use it. A: "see PR #12"\\nB: c # d\ntools: Read', ["Read"]],
  ["a rule among its tools", "description: d\ntools: Read, Agent(shop:explore), Workflow(shop:scan)", ["Read"]],
  ["tools of other programs", "description: d\ntools: Read, my-catalog:search, chrome-mcp, LS", ["Read"]],
  ["tools as a list with rules", 'description: d\ntools: ["Read", "Agent(a, b)", "Bash(git log *)"]', ["Read"]],
  ["a colour and a high effort", "description: d\ncolor: purple\neffort: xhigh\ntools: Read", ["Read"]],
  [
    "servers of its own in a list",
    "description: d\ntools: Read\nmcpServers:\n  - shop:\n      type: stdio\n      command: none",
    ["Read"],
  ],
  ["servers of its own by name", "description: d\ntools: Read\nmcpServers:\n  shop:\n    command: none", ["Read"]],
])("an agent of another program with %s is loaded with the tools that exist", async (_, fields, tools) => {
  await using here = await oneProcess();
  await using project = await tempProject({ ".claude/agents/reviewer.md": definition(fields) });
  const { session, warnings } = await sessionIn(here.app, project.dir, { agent: "reviewer" });
  await session.main.engine.submit({ prompt: "hello" });
  const sent = here.twin.requests[0]?.body as { readonly tools: readonly { readonly name: string }[] };
  expect(sent.tools.map(({ name }) => name)).toEqual(tools);
  expect(warnings.length).toBeLessThanOrEqual(1);
});
