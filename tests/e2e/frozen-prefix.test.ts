import { expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace, type SentBody } from "../support/quoll-process.ts";
import { control, said, streamClient } from "../support/stream-client.ts";

setDefaultTimeout(60_000);

const SUMMARY = "<summary>\n## Goal\nRead a.txt.\n## Next step\nGo on.\n</summary>";
const shop = (count: number) => ({
  command: process.execPath,
  args: [join(ROOT, "tests/services/mcp/servers/shop-server.ts"), String(count)],
});

/** Cache marks move with the conversation and are no content. */
const content = (value: unknown) =>
  JSON.stringify(value, (key, one: unknown) => (key === "cache_control" ? undefined : one));

/** The parts of the earlier request that the later one does not begin with. */
function brokenParts(before: SentBody, after: SentBody): readonly string[] {
  const isExtended = before.messages.every((message, at) => content(message) === content(after.messages[at]));
  return [
    ...(before.model === after.model ? [] : ["model"]),
    ...(content(before.tools) === content(after.tools) ? [] : ["tools"]),
    ...(content(before.system) === content(after.system) ? [] : ["system"]),
    ...(isExtended ? [] : ["messages"]),
  ];
}

deepTest(
  "servers come and go, modes change: only named and priced events change the cached prefix of a session",
  async () => {
    await using here = await quollPlace({
      files: { "a.txt": "the content of a\n".repeat(300) },
      scenario: ({ body }) => {
        const text = JSON.stringify((body as SentBody).messages.at(-1));
        if (text.includes("write a summary that will stand in place")) return reply(SUMMARY);
        if (text.includes("the beginning")) return reply([toolUse("Read", { file_path: "a.txt" })]);
        return reply("Done.");
      },
    });
    const config = JSON.stringify({ mcpServers: { shop: shop(3) } });
    await using client = streamClient(here, ["--model", "claude-sonnet-5", "--mcp-config", config]);
    let asked = 0;
    const ask = async (...lines: readonly object[]) => {
      for (const line of lines) {
        asked += 1;
        const id = `r${asked}`;
        const isControl = "subtype" in line;
        const results = client.results().length;
        client.send(isControl ? control(id, line) : line);
        await client.until(`${id} is answered`, ({ type, response }) =>
          isControl
            ? type === "control_response" && (response as { readonly request_id: string }).request_id === id
            : client.results().length > results,
        );
      }
    };
    const mode = (name: string) => ({ subtype: "set_permission_mode", mode: name });
    const servers = (named: Readonly<Record<string, object>>) => ({ subtype: "mcp_set_servers", servers: named });

    await ask({ subtype: "initialize" }, said("the beginning"));
    await ask(mode("acceptEdits"), said("edits are accepted"), mode("plan"), said("a plan"), mode("default"));
    await ask(servers({ other: shop(2) }), said("a server came"), servers({}), said("it went"));
    await ask(said("/model claude-haiku-4-5"), said("another model"));
    await ask(said("/compact"), said("after the compaction"), said("and on"));
    client.end();
    expect(await client.ended()).toBe(0);

    const sent = here.sent();
    const breaks = sent.slice(1).flatMap((body, at) => {
      const before = sent[at];
      const parts = before ? brokenParts(before, body) : [];
      return parts.length === 0
        ? []
        : [[content(body.messages.at(-1)).match(/a server came|another model|after the compaction/)?.[0], ...parts]];
    });
    expect(breaks).toEqual([
      ["a server came", "tools"],
      ["another model", "model"],
      ["after the compaction", "messages"],
    ]);
    const added = sent.findIndex((body) => content(body).includes("mcp__other__"));
    expect(content(sent[added]?.tools)).toStartWith(content(sent[0]?.tools).slice(0, -1));

    const told = client.lines.map((line) => String(line["content"] ?? line["result"] ?? ""));
    expect(told.filter((line) => /New tools: mcp__other__.* \d+ tokens/.test(line))).toHaveLength(1);
    expect(told.filter((line) => /now claude-haiku-4-5[\s\S]*tokens without the prompt cache/.test(line))).toHaveLength(
      1,
    );
    const boundaries = client.lines.filter(({ subtype }) => subtype === "compact_boundary");
    expect(boundaries).toMatchObject([{ compact_metadata: { pre_tokens: expect.any(Number) } }]);
    expect(told.filter((line) => line.includes("read again"))).toEqual([]);
    expect(here.refused()).toEqual([]);
  },
);
