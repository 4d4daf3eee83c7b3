import type { Entry } from "../../src/contracts/session.ts";
import { fieldList, table } from "./markdown.ts";

export const ENTRIES_START = "<!-- entries: generated from scripts/docs/entry-table.ts -->";
export const ENTRIES_END = "<!-- end of entries -->";

type Kind = Entry["kind"];
type Frame = "v" | "id" | "parentId" | "time" | "kind";
type Fields<K extends Kind> = { readonly [F in Exclude<keyof Extract<Entry, { kind: K }>, Frame>]-?: string };

/** A missing kind or field is a type error. */
const ENTRIES: { readonly [K in Kind]: { readonly what: string; readonly fields: Fields<K> } } = {
  session: {
    what: "The head of the file.",
    fields: {
      sessionId: "the file's name",
      cwd: "working folder",
      version: "of Quoll",
      forkedFrom: "the session that this is a copy of, if it is one",
    },
  },
  setup: {
    what: "What the session runs with: before the first prompt of each process, and when it has changed. For replays.",
    fields: {
      isStart: "whether a process begins",
      cwd: "working folder",
      mode: "of permissions",
      model: "that is asked",
      tools: "their names",
      platform: "system and processor",
      version: "of Quoll",
      head: "the commit that is checked out, in a repository",
    },
  },
  user: {
    what: "What a person said.",
    fields: {
      prompt: "as it was typed",
      message: "as the model gets it",
      by: "`hook` or `harness`, where no person said it",
    },
  },
  assistant: { what: "A complete answer of the model.", fields: { message: "with its usage" } },
  tool_started: {
    what: "A call is about to run. Without its `tool_finished` it died with the process.",
    fields: { toolUseId: "of the call", toolName: "of its tool" },
  },
  tool_finished: { what: "A call ended.", fields: { result: "what the model is told" } },
  results: { what: "The message that carries the results, in call order.", fields: { message: "of the user's role" } },
  turn_finished: {
    what: "The turn came to rest.",
    fields: { reason: "of the outcome", costUsd: "US dollars; null when a price is unknown" },
  },
  cleared: { what: "The conversation starts anew below (`/clear`); what was before stays in the file.", fields: {} },
};

/** The table of docs/protocol.md, markers included. */
export function entryTable(): string {
  const rows = Object.entries(ENTRIES).map(([kind, { what, fields }]) => [`\`${kind}\``, what, fieldList(fields)]);
  return [ENTRIES_START, table(["kind", "what it is", "fields"], rows), ENTRIES_END].join("\n\n");
}
