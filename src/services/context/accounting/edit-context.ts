import { formatCount } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import type { Stub } from "../../../contracts/compaction.ts";
import type { Compaction } from "../../../contracts/compactor.ts";
import type { ContextMark, ContextVerb } from "../../../contracts/context-edit.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from "../../../contracts/message.ts";
import { blocksSize } from "../../../contracts/token-estimate.ts";
import { CLEARED_WORDS } from "../compaction/superseded-results.ts";
import { type Measure, messageTurns } from "./context-pieces.ts";

/** A share of the usable window. No more can be pinned, because a compaction needs content that it can remove. */
const MAX_PINNED_SHARE = 0.3;
/** A collapsed result keeps this much of its beginning. */
const COLLAPSED_LINES = 5;
const COLLAPSED_CHARS = 400;

export type EditedView = {
  readonly messages: readonly Message[];
  readonly pinned: ReadonlySet<string>;
  /** Of the window, in tokens. */
  readonly usable: number;
  readonly measure: Measure;
  /** True if the model has the tool Recall. */
  readonly canRecall: boolean;
};

/** The changes of a person's marks. Absent parts stay unchanged. */
export type ContextChange = {
  readonly compaction?: Compaction;
  /** All pins after the change. */
  readonly pinned?: readonly string[];
  readonly turns: number;
  readonly results: number;
};

type Result = { readonly message: Message; readonly at: number; readonly block: ToolResultBlock };
type Target = {
  /** Undefined for one result. */
  readonly turn?: readonly Message[];
  readonly results: readonly Result[];
};

/**
 * Finds out what a person's marks change. Pure. A dropped turn leaves the view, except the first message of the
 * conversation, which contains the folder and the instruction files; a dropped result becomes one line; a collapsed
 * result keeps its beginning; a collapsed turn keeps its text and calls, and drops its results.
 * @throws {UserFacingError} a mark names nothing, or too much would be pinned.
 */
export function editContext(view: EditedView, marks: readonly ContextMark[]): ContextChange {
  const turns = messageTurns(view.messages);
  const [removed, stubs, pinned] = [new Set<string>(), new Map<ToolResultBlock, Stub>(), new Set(view.pinned)];
  const changed: Changed[] = [];
  for (const { verb, id } of marks) {
    const { turn, results } = targetOf(id, view.messages, turns);
    changed.push({ verb, isTurn: turn !== undefined });
    const ids = turn?.map((message) => message.id) ?? results.map(({ block }) => block.toolUseId);
    for (const one of ids)
      if (verb === "pin") pinned.add(one);
      else pinned.delete(one);
    if (verb === "pin" || verb === "unpin") continue;
    if (verb === "drop" && turn) for (const message of turn) if (message !== view.messages[0]) removed.add(message.id);
    const shorten = verb === "collapse" && !turn ? collapsed : dropped;
    for (const result of results) stubs.set(result.block, stubOf(result, shorten(result.block, view.canRecall)));
  }
  assertPinnable(view, pinned);
  const turnCount = changed.filter(({ isTurn }) => isTurn).length;
  const found = { removed, stubs: [...stubs.values()], pinned, note: noteOf(changed) };
  return { ...changeOf(view, found), turns: turnCount, results: changed.length - turnCount };
}

type Changed = { readonly verb: ContextVerb; readonly isTurn: boolean };

/** A sentence for the person about what was dropped and collapsed. */
function noteOf(changed: readonly Changed[]): string {
  const parts = (["drop", "collapse"] as const).flatMap((verb) => {
    const own = changed.filter((one) => one.verb === verb);
    const turns = own.filter(({ isTurn }) => isTurn).length;
    const results = own.length - turns;
    const names = [...(turns > 0 ? [plural(turns, "turn")] : []), ...(results > 0 ? [plural(results, "result")] : [])];
    return own.length === 0 ? [] : [`${verb === "drop" ? "dropped" : "collapsed"} ${names.join(" and ")}`];
  });
  return `You ${parts.join(" and ")} in the model's view; /compact undo takes this back.`;
}

type Found = {
  readonly removed: ReadonlySet<string>;
  readonly stubs: readonly Stub[];
  readonly pinned: ReadonlySet<string>;
  readonly note: string;
};

function changeOf(
  view: EditedView,
  { removed, stubs, pinned, note }: Found,
): Pick<ContextChange, "compaction" | "pinned"> {
  const isRepinned = pinned.size !== view.pinned.size || [...pinned].some((id) => !view.pinned.has(id));
  const kept = stubs.filter(({ messageId }) => !removed.has(messageId));
  const isChanged = removed.size > 0 || kept.length > 0;
  return {
    ...(isChanged && { compaction: { stubs: kept, ...(removed.size > 0 && { removedIds: [...removed] }), note } }),
    ...(isRepinned && { pinned: [...pinned] }),
  };
}

function targetOf(id: string, messages: readonly Message[], turns: readonly number[]): Target {
  const results = messages.flatMap(resultsOf);
  const result = results.find(({ block }) => block.toolUseId === id);
  if (result) return { results: [result] };
  const first = messages.findIndex((message) => message.id === id);
  const number = /^\d+$/.test(id) ? Number(id) : turns[first];
  const turn = messages.filter((_, at) => turns[at] === number);
  if (turn.length === 0)
    throw new UserFacingError(`The context holds no turn and no result ${id}: /context lists them.`);
  return { turn, results: turn.flatMap(resultsOf) };
}

function resultsOf(message: Message): readonly Result[] {
  if (message.role !== "user") return [];
  return message.content.flatMap((block, at) => (block.type === "tool_result" ? [{ message, at, block }] : []));
}

function stubOf({ message, at }: Result, block: UserBlock): Stub {
  return { messageId: message.id, at, block };
}

function dropped(block: ToolResultBlock, canRecall: boolean): ToolResultBlock {
  return {
    ...block,
    content: `${CLEARED_WORDS} by the user, id ${block.toolUseId}. ${wayBack(canRecall)}]`,
    shows: "nothing",
  };
}

/** Only the beginning stays, after a note. */
function collapsed(block: ToolResultBlock, canRecall: boolean): ToolResultBlock {
  const text = textOf(block);
  const head = text.split("\n", COLLAPSED_LINES).join("\n").slice(0, COLLAPSED_CHARS).toWellFormed();
  const cut = `${text.length - head.length} more characters`;
  const note = `${CLEARED_WORDS} by the user but for the beginning, id ${block.toolUseId}: ${cut}. ${wayBack(canRecall)}]`;
  return { ...block, content: head === "" ? note : `${note}\n${head}`, shows: "nothing" };
}

function wayBack(canRecall: boolean): string {
  return canRecall ? "Recall brings it back, should you need it." : "Repeat the call, should you need it.";
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function assertPinnable({ messages, measure, usable }: EditedView, pinned: ReadonlySet<string>): void {
  const blocks = messages.flatMap((message): readonly (UserBlock | AssistantBlock)[] =>
    pinned.has(message.id)
      ? message.content
      : resultsOf(message).flatMap(({ block }) => (pinned.has(block.toolUseId) ? [block] : [])),
  );
  const tokens = measure(blocksSize(blocks));
  const most = Math.floor(usable * MAX_PINNED_SHARE);
  if (tokens > most)
    throw new UserFacingError(
      `About ${formatCount(tokens)} tokens would be pinned, and at most ${formatCount(most)} can be: unpin something.`,
    );
}
