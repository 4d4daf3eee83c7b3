import { expect } from "bun:test";
import { type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace, type SentBody } from "../support/quoll-process.ts";

const line = (at: number, row: number) => `export const value${at}_${row} = ${row};`;
const content = (at: number) => Array.from({ length: 250 }, (_, row) => line(at, row)).join("\n");
const CLEARED = /\[Cleared to make room, id ([^:\s]+): \d+ characters/;

type Use = { readonly type: string; readonly id?: string; readonly input?: { readonly content?: string } };

deepTest(
  "in a long turn old inputs are cleared, Recall brings them back, and a copied line is not written",
  async () => {
    const seen = { recalled: "", refused: "" };
    let writes = 0;
    let clearedId = "";
    const scenario = ({ body }: { readonly body: unknown }): Reply => {
      const { messages } = body as SentBody;
      const blocks = messages.flatMap(({ content: all }) => all) as readonly Use[];
      const copied = blocks.map(({ input }) => input?.content ?? "").find((text) => CLEARED.test(text)) ?? "";
      const last = JSON.stringify(messages.at(-1)?.content);
      if (seen.refused !== "") return reply("Done.");
      if (clearedId !== "" && seen.recalled !== "") {
        seen.refused = last;
        return reply("Done.");
      }
      if (clearedId !== "") {
        seen.recalled = last;
        return reply([toolUse("Write", { file_path: "copied.ts", content: copied })]);
      }
      clearedId = CLEARED.exec(copied)?.[1] ?? "";
      if (clearedId !== "") return reply([toolUse("Recall", { query: clearedId, max_tokens: 20_000 })]);
      writes += 1;
      if (writes > 12) return reply("Nothing was cleared.");
      return reply([toolUse("Write", { file_path: `m${writes}.ts`, content: content(writes) })]);
    };
    const models = { "claude-sonnet-5-5": { contextWindow: 45_000 } };
    await using place = await quollPlace({ scenario, settings: { sandbox: { enabled: false }, models } });
    const { code, out, err } = await place.run(["-p", "--permission-mode", "acceptEdits", "write the modules"]);
    expect([code, out.trim(), err]).toEqual([0, "Done.", expect.any(String)]);
    expect(seen.recalled).toContain(line(1, 249));
    expect(seen.refused).toContain("Recall");
    expect(seen.refused).toContain('"is_error":true');
  },
);
