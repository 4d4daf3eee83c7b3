import { expect, setDefaultTimeout } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { below, SHOP_PLUGIN } from "../support/plugin-fixture.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { control, said, streamClient } from "../support/stream-client.ts";

setDefaultTimeout(60_000);

const skill = (text: string, more = "") => `---\ndescription: ${text}\n${more}---\nPlease ${text}.\n`;

deepTest("a program starts skills by /name, and reload requests take new skills and changed plugins", async () => {
  await using here = await quollPlace({
    files: {
      ".claude/skills/hail/SKILL.md": skill("hail $0", "argument-hint: <who>\n"),
      ".claude/skills/look/SKILL.md": skill("look at $0", "context: fork\n"),
      ...below("shop", SHOP_PLUGIN),
    },
    scenario: (_, at) => reply(`Answer ${at}.`),
  });
  const client = streamClient(here, ["--trust", "--plugin-dir", "shop"]);
  const results = () => client.lines.filter(({ type }) => type === "result");
  const replyTo = async (id: string) => {
    client.send(control(id, { subtype: id }));
    const isReply = (line: object) => JSON.stringify(line).includes(`"request_id":"${id}"`);
    await client.until(id, isReply);
    return client.lines.find(isReply)?.["response"];
  };
  client.send(said("/hail Ann"), said("/look moss"));
  await client.until("the second result", () => results().length === 2);
  await here.project.write(".claude/skills/late/SKILL.md", skill("be late", "argument-hint: <day>\n"));
  await here.project.write("shop/hooks/hooks.json", "{}");
  await here.project.write("shop/agents/baker.md", "---\nname: baker\ndescription: Bakes\nmodel: haiku\n---\nBake.\n");
  expect(await replyTo("reload_skills")).toMatchObject({
    response: {
      skills: expect.arrayContaining([{ name: "late", description: "be late", argumentHint: "<day>" }]),
    },
  });
  expect(await replyTo("reload_plugins")).toMatchObject({
    response: {
      agents: expect.arrayContaining([{ name: "shop:baker", description: "Bakes", model: "haiku" }]),
      plugins: [{ name: "shop" }],
      mcpServers: [{ name: "plugin:shop:till", status: "connected" }],
      error_count: 0,
    },
  });
  client.send(said("go on"));
  client.end();
  expect(await client.ended()).toBe(0);

  expect(results().map(({ subtype, result }) => [subtype, result])).toEqual([
    ["success", "Answer 0."],
    ["success", "Answer 1."],
    ["success", "Answer 2."],
  ]);
  const [hailed, looked, last] = here.sent().map(({ messages }) => JSON.stringify(messages));
  expect(hailed).toContain("Please hail Ann.");
  expect(looked).toContain("Please look at moss.");
  expect(looked).not.toContain("hail Ann");
  expect(last?.split("The user ran /look moss.")).toHaveLength(2);
  const ofAgent = client.lines.filter((line) => typeof line["parent_tool_use_id"] === "string");
  expect(JSON.stringify(ofAgent)).toContain("Answer 1.");
});
