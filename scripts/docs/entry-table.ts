import type { Entry } from "../../src/contracts/session.ts";
import { fieldList, table } from "./markdown.ts";

export const ENTRIES_START = "<!-- entries: generated from scripts/docs/entry-table.ts -->";
export const ENTRIES_END = "<!-- end of entries -->";

type Kind = Entry["kind"];
type Frame = "v" | "id" | "parentId" | "time" | "kind" | "agentId" | "parentAgentId" | "hasFacts";
type Fields<K extends Kind> = { readonly [F in Exclude<keyof Extract<Entry, { kind: K }>, Frame>]-?: string };

/** A missing kind or field is a type error. */
const ENTRIES: { readonly [K in Kind]: { readonly what: string; readonly fields: Fields<K> } } = {
  session: {
    what: "The head of the file.",
    fields: {
      sessionId: "the file's name",
      cwd: "working folder",
      version: "of Quoll",
      isHeadless: "present where no person sat at the session when it began",
      branch: "the branch that was checked out at the start",
      rootId:
        "the inode and the time of birth of the project's folder, by which its sessions are found after it was renamed",
      forkedFrom: "the original session, in a copy",
    },
  },
  setup: {
    what: "The configuration of the session, before the first prompt of each process and after each change. For replays.",
    fields: {
      isStart: "whether this is the start of a process",
      cwd: "working folder",
      mode: "of permissions",
      model: "its id",
      provider:
        "of the model that the person chose; absent in older files, and while a skill or a fallback sets the model",
      tools: "their names",
      platform: "operating system and processor",
      version: "of Quoll",
      head: "the checked-out commit, in a repository",
      agent: "the agent as which the conversation works",
      worktree: "the name of the worktree that the conversation has entered",
      systemHash: "a hash of the system prompt",
    },
  },
  user: {
    what: "A message of the person.",
    fields: {
      prompt: "as it was typed",
      message: "as the model gets it",
      by: "`hook` or `harness`, if no person wrote it",
      announced: "names of deferred tools that the message announces",
    },
  },
  tools: {
    what: "The tool array from here on, if MCP servers are configured.",
    fields: {
      optional: "true: a reader may ignore the entry",
      mode: "`array`, `late` or `deferred`",
      array: "built-in tools by name, others with description and schema",
    },
  },
  assistant: { what: "A complete answer of the model.", fields: { message: "with its usage" } },
  tool_started: {
    what: "A call is about to run. Without a `tool_finished`, the process died during the call.",
    fields: { toolUseId: "of the call", toolName: "of its tool", answerId: "of the answer that makes the call" },
  },
  tool_finished: {
    what: "A call ended.",
    fields: { result: "as the model gets it", answerId: "of the answer that makes the call" },
  },
  results: {
    what: "The message that carries the results, in call order.",
    fields: {
      message: "of the user's role, without the blocks that `finished` names",
      finished:
        "results that stand in earlier entries: `at` their place in the message, from 0; `entryId` their `tool_finished`. A reader puts them back; older files have the whole message",
    },
  },
  turn_finished: {
    what: "The turn ended.",
    fields: {
      reason: "of the outcome",
      costUsd: "US dollars; null when a price is unknown",
      shown: "outcome, times and usage, for the screen of a resumed session",
    },
  },
  shown: {
    what: "A fact that only the screen of a resumed session needs. Long texts in it are cut; a reader may skip it.",
    fields: {
      optional: "always true",
      fact: "`type`: `call` (title, time, display, answer), `shell` (a command typed with `!`), `notice`, `continued`, `tools_changed` or `cache_missed`",
    },
  },
  cleared: {
    what: "The conversation starts again after this entry (`/clear`); the file keeps the earlier entries.",
    fields: {},
  },
  compacted: {
    what: "The model sees less of the conversation from now on.",
    fields: {
      why: "`full`, `too_long`, `cold`, `image_too_large`, `idle`, `manual`, or `chosen` by `/context`",
      stubs:
        "`messageId`, `at` (from 0) and `block`: each replaces a block of a message, or a call by the same call with shorter fields",
      firstKeptId: "the first entry whose message is kept; if absent, all are kept",
      lastKeptId: "the last entry whose message is kept, if the summary replaces the messages after it",
      keptIds: "messages that stay beside the summary, because the person pinned them",
      removedIds: "messages that the person took out, and notes about the window that no longer hold",
      summary: "a message that replaces all messages that are not kept",
      report: "`droppedMessages`, `keptMessages`, `checked` facts, and those `added` because the summary lacked them",
      note: "one line for the person",
    },
  },
  note: {
    what: "The next prompt takes a text along for the model: a command that the person ran with `!`, and its output.",
    fields: { optional: "always true: a reader that does not know it may leave it out", text: "for the model" },
  },
  label: {
    what: "The person named the session or marked it, or a model wrote its title. The entry is part of no branch: no entry follows it, and a copy of the session has none.",
    fields: {
      optional: "always true",
      name: "the name, empty for none; absent if it stays",
      title: "the title that a model wrote, for a session without a name; absent if it stays",
      isPinned: "whether the session is listed first and never deleted on its own; absent if that stays",
      isArchived: "whether the session is listed last and never deleted on its own; absent if that stays",
    },
  },
  pinned: {
    what: "The person pinned or unpinned parts of the conversation: no compaction takes pinned ones out.",
    fields: {
      optional: "always true",
      ids: "all that is pinned from now on: messages, and calls whose results are meant",
    },
  },
  worktree: {
    what: "The conversation works in another folder from now on.",
    fields: {
      optional: "always true",
      name: "of the worktree that it entered; absent for the folder in which the session started",
    },
  },
  uncompacted: {
    what: "The person undid a compaction: the model sees again what it took out.",
    fields: { compactedId: "the entry of the compaction" },
  },
  branch: {
    what: "The conversation continues from an earlier entry, its parent.",
    fields: {
      from: "the last entry before the move",
      by: "`rewind` or `redo`, if the person moved the conversation; otherwise absent",
    },
  },
};

/** The table of docs/protocol.md, markers included. */
export function entryTable(): string {
  const rows = Object.entries(ENTRIES).map(([kind, { what, fields }]) => [`\`${kind}\``, what, fieldList(fields)]);
  return [ENTRIES_START, table(["kind", "meaning", "fields"], rows), ENTRIES_END].join("\n\n");
}
