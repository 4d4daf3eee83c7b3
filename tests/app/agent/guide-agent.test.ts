import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { Glob } from "bun";
import { GUIDE_PAGES } from "../../../src/services/agents/guide-pages.ts";
import { oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { tempProject } from "../../support/temp-project.ts";

test("the program contains each page of the guide as it is", () => {
  const folder = join(ROOT, "docs", "guide");
  const names = [...new Glob("**/*.md").scanSync({ cwd: folder })].sort();
  expect(Object.keys(GUIDE_PAGES).sort()).toEqual(names);
  for (const name of names) expect(GUIDE_PAGES[name]).toBe(readFileSync(join(folder, name), "utf8"));
});

test("the agent guide reads and searches the documentation without a question, and can do nothing else", async () => {
  const results: string[] = [];
  await using here = await oneProcess(({ body }) => {
    const { messages } = body as { messages: { content: { type: string; content?: unknown; text?: string }[] }[] };
    const last = messages.at(-1)?.content ?? [];
    const text = last.map((block) => block.text ?? JSON.stringify(block.content)).join("\n");
    if (text.includes("How do I"))
      return reply([toolUse("Agent", { description: "ask", prompt: "Ask", subagent_type: "guide" })]);
    const folder = /documentation of Quoll is in (\S+): /.exec(text)?.[1];
    if (folder) {
      const read = toolUse("Read", { file_path: join(folder, "reference/settings.md") });
      return reply([read, toolUse("Grep", { pattern: "PostToolUse", path: folder })]);
    }
    results.push(text);
    return reply("Answer.");
  });
  await using project = await tempProject();
  const { session } = await sessionIn(here.app, project.dir, { answerer: "nobody" });
  const { denials } = await session.main.engine.submit({ prompt: "How do I add a hook?" });
  expect(denials).toEqual([]);
  expect(results[0]).toContain("outputStyle");
  expect(results[0]).toContain("guide/hooks.md");
  const [, child] = here.twin.requests.map(({ body }) => body as { tools: { name: string }[] });
  expect(child?.tools.map(({ name }) => name)).toEqual(["Read", "Glob", "Grep", "WebFetch"]);
});
