import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import { type Entry, type EntryBody, makeEntry } from "../../src/contracts/session.ts";
import { indexFile } from "../../src/services/recall/io/index-file.ts";
import { type RecallDeps, SessionRecall } from "../../src/services/recall/session-recall.ts";
import { createRedactor } from "../../src/services/redaction/create-redactor.ts";
import { parseEntry } from "../../src/services/session/entry.ts";
import { formatEntry } from "../../src/services/session/session-file.ts";
import { tempProject } from "./temp-project.ts";

const CHILD = { agentId: "child-1", parentAgentId: "main" };

/** A data folder with session logs, written entry by entry, and the searches in it. */
export async function sessionLogs() {
  const data = await tempProject();
  const root = data.path("sessions");
  const recalls: SessionRecall[] = [];
  const { redact } = await createRedactor({ key: new Uint8Array(32) });
  let count = 0;
  const pathOf = (session: string, project = "p") => join(root, project, `${session}.jsonl`);
  return {
    data,
    root,
    pathOf,
    indexPath: indexFile(data.dir),
    redact,
    /** A log that begins with its first entry. */
    open(session: string, project = "p") {
      mkdirSync(join(root, project), { recursive: true });
      const path = pathOf(session, project);
      const add = (body: EntryBody, agent: Parameters<typeof makeEntry>[1]["agent"] = MAIN_AGENT): Entry => {
        count += 1;
        const entry = makeEntry(body, { parentId: null, agent }, { id: `e${count}`, now: 1_700_000_000_000 + count });
        appendFileSync(path, formatEntry(entry));
        return entry;
      };
      add({ kind: "session", sessionId: session, cwd: `/home/${project}`, version: "0.0.0" });
      const result = (toolUseId: string, content: string) =>
        add({ kind: "tool_finished", result: { type: "tool_result", toolUseId, content, isError: false } });
      return {
        path,
        add,
        user: (prompt: string, ...notes: readonly string[]) =>
          add({
            kind: "user",
            prompt,
            message: {
              ...{ role: "user", id: `m${count}` },
              content: [...notes, prompt].map((text) => ({ type: "text", text })),
            },
          }),
        answer: (text: string) => add({ kind: "assistant", message: answerOf(text, `m${count}`) }),
        childAnswer: (text: string) => add({ kind: "assistant", message: answerOf(text, `m${count}`) }, CHILD),
        result,
        /** A result that was written to a file because it was too large, and names that file. */
        spilled(toolUseId: string, whole: string, shown: string, name = `result-${toolUseId}.txt`) {
          const folder = join(root, project, session);
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, name), whole);
          return result(toolUseId, `${shown} (all of it: ${join(folder, name)})`);
        },
      };
    },
    recall(own?: RecallDeps["own"], more: Partial<RecallDeps> = {}) {
      const recall = new SessionRecall({
        ...{ root, indexPath: indexFile(data.dir), ...(own && { own }) },
        parse: parseLine,
        redact,
        ...more,
      });
      recalls.push(recall);
      return recall;
    },
    async [Symbol.asyncDispose]() {
      for (const recall of recalls) await recall.close();
      await data[Symbol.asyncDispose]();
    },
  };
}

/** The entry of a line; undefined for a line that holds none. */
export function parseLine(line: string): Entry | undefined {
  const read = parseEntry(line);
  return read.kind === "entry" ? read.entry : undefined;
}

function answerOf(text: string, id: string) {
  const content = [{ type: "text", text } as const];
  return { role: "assistant", id, model: "m", content, stopReason: "end_turn", usage: NO_USAGE } as const;
}
