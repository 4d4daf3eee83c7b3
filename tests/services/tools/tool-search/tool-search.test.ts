import { describe, expect, test } from "bun:test";
import type { Findable } from "../../../../src/contracts/findable.ts";
import { textOf } from "../../../../src/contracts/message.ts";
import { makeGrant } from "../../../../src/contracts/subject.ts";
import { findByQuery, MAX_RESULTS, toolSearchTool } from "../../../../src/services/tools/tool-search/tool-search.ts";
import { toolContext } from "../../../support/tool-context.ts";

const item = (name: string, description = "", hint?: string): Findable => ({
  name,
  description,
  ...(hint !== undefined && { hint }),
  details: () => `{"of":"${name}"}`,
});
const TOOLS = [
  item("mcp__github__create_issue", "Opens an issue in a repository."),
  item("mcp__github__createPullRequest", "Opens a pull request."),
  item("mcp__jira__create_issue", "Files a ticket."),
  item("mcp__jira__search", "Finds tickets by JQL.", "query bugs backlog"),
  item("mcp__notes__save", "把笔记保存到知识库"),
  item("mcp__mail__send", "メールを送信します"),
];
const found = (query: string) => findByQuery(query, TOOLS).items.map(({ name }) => name);

const search = async (input: Readonly<Record<string, unknown>>, all: readonly Findable[] = TOOLS) => {
  const grant = makeGrant({ toolUseId: "t", confinement: "none", decidedBy: { kind: "default" }, notes: [] });
  const call = await toolSearchTool().prepare(input, toolContext({ findables: () => all }));
  return textOf((await call.run(grant, () => undefined)).content);
};

describe("a query", () => {
  test("that is an exact name finds that tool alone, also without its server and in another case", () => {
    expect(found("mcp__jira__search")).toEqual(["mcp__jira__search"]);
    expect(found("Search")).toEqual(["mcp__jira__search"]);
    expect(found("create_issue")).toEqual(["mcp__github__create_issue", "mcp__jira__create_issue"]);
  });

  test("with select: finds the named tools in the order of the query, and reports the missing tools", async () => {
    expect(found("select:mcp__mail__send, save")).toEqual(["mcp__mail__send", "mcp__notes__save"]);
    const text = await search({ query: "select:mcp__jira__serch,mcp__mail__send" });
    expect(text).toContain("Did you mean mcp__jira__search?");
    expect(text).toContain("## mcp__mail__send");
  });

  test("of words ranks by name, then hint, then description; forms and beginnings of a word count", () => {
    expect(found("pull requests")[0]).toBe("mcp__github__createPullRequest");
    expect(found("backlog")).toEqual(["mcp__jira__search"]);
    expect(found("ticket")).toEqual(["mcp__jira__create_issue", "mcp__jira__search"]);
    expect(found("repo issue")[0]).toBe("mcp__github__create_issue");
    expect(found("volcano")).toEqual([]);
    expect(found("github pull request issue")).not.toContain("mcp__jira__search");
  });

  test("with a + word finds only tools that contain the word", () => {
    expect(found("+jira create")).toEqual(["mcp__jira__create_issue", "mcp__jira__search"]);
    expect(found("+jira +bugs create")).toEqual(["mcp__jira__search"]);
  });

  test("in Chinese or Japanese finds text without spaces", () => {
    expect(found("保存笔记")).toEqual(["mcp__notes__save"]);
    expect(found("メール")).toEqual(["mcp__mail__send"]);
  });
});

describe("the answer", () => {
  test("holds names, descriptions and schemas of the best, and only the names of the rest", async () => {
    const text = await search({ query: "issue create", max_results: 1 });
    expect(text).toContain('## mcp__github__create_issue\nOpens an issue in a repository.\ninput schema: {"of"');
    expect(text).toMatch(/These match too: .*mcp__jira__create_issue/);
    expect(text).not.toContain("## mcp__jira");
  });

  test("to select: holds every named tool, whatever max_results is", async () => {
    for (const query of ["select:send,save", "Select:send,save"])
      expect((await search({ query, max_results: 1 })).match(/^## .*/gm)).toEqual([
        "## mcp__mail__send",
        "## mcp__notes__save",
      ]);
  });

  test("is bounded in tools and in characters", async () => {
    const many = Array.from({ length: 500 }, (_, at) => item(`mcp__a__find_${at}`, "Finds."));
    const text = await search({ query: `select:${many.map(({ name }) => name).join(",")}` }, many);
    expect(text.split("## ").length - 1).toBe(MAX_RESULTS);
    const long = many.map((one) => ({ ...one, description: "Finds. ".repeat(2_000) }));
    expect((await search({ query: "find", max_results: 20 }, long)).length).toBeLessThan(50_000);
  });

  test("says that nothing fits, or that nothing is deferred", async () => {
    expect(await search({ query: "volcano" })).toContain("6 deferred tools");
    expect(await search({ query: "volcano" }, [])).toContain("No tool is deferred");
  });
});
