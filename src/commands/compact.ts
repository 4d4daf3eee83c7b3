import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import type { CompactedPart } from "../contracts/compaction.ts";
import { editDistance } from "../contracts/did-you-mean.ts";
import type { CompactOptions, Engine } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";

const MAX_PROMPTS = 20;
const MAX_LABEL_CHARS = 70;
const SIDES = {
  "up-to": "Summarise the messages before one of yours",
  from: "Summarise one of your messages and all after it",
} as const;
type Side = keyof typeof SIDES;

const FORMS = [...Object.keys(SIDES), "undo"];
const HINT_ADVICE = "A hint for the summary begins with another word.";

/**
 * Summarises the conversation or a part of it, or undoes the last compaction. Every other argument is a hint for the
 * summary, unless its first word is one of these forms or close to one: a typing error must not start a paid request.
 */
export const compactCommand: Command = {
  name: "compact",
  summary: "Summarise the conversation to free its context window",
  argumentHint: "[hint | up-to | from | undo]",
  async run(argument, { engine }) {
    const text = argument.trim();
    if (text === "undo") return undo(engine);
    const [word = "", id = "", ...hint] = text.split(/\s+/);
    if (isSide(word)) {
      const prompts = promptsOf(engine);
      if (id === "") return choosePrompt(word, prompts);
      const chosen = prompts.find((prompt) => prompt.id.startsWith(id));
      if (chosen) return compacting(engine, { part: partOf(word, chosen.id), ...withHint(hint.join(" ")) });
      const problem = `"${oneLine(id, MAX_LABEL_CHARS)}" is the id of no message of yours`;
      throw new UserFacingError(`${problem}. "/compact ${word}" lists your messages. ${HINT_ADVICE}`);
    }
    assertIsHint(text);
    return compacting(engine, withHint(text));
  },
};

function undo(engine: Engine): CommandResult {
  engine.undoCompaction();
  const { usedTokens, windowTokens } = engine.state;
  const size = `${formatCount(usedTokens)} of ${formatCount(windowTokens)} tokens`;
  return { kind: "text", lines: [`The last compaction is undone: the model sees the messages again (about ${size}).`] };
}

function compacting(engine: Engine, options: CompactOptions): CommandResult {
  return {
    kind: "operation",
    title: "Compacting",
    isLate: true,
    async run(report, signal) {
      let isExplained = false;
      const failures: string[] = [];
      let usedTokens = 0;
      const unsubscribe = engine.subscribe(({ event, parentAgentId }) => {
        if (parentAgentId !== null) return;
        isExplained ||= event.type === "notice";
        if (event.type === "compaction_started") usedTokens = event.usedTokens;
        if (event.type === "compaction_progress") report({ text: progressText(event.writtenTokens, usedTokens) });
      });
      const interrupt = () => engine.interrupt();
      signal.addEventListener("abort", interrupt, { once: true });
      try {
        const freed = await engine.compact({ ...options, onFailure: (line) => failures.push(line) });
        if (freed === undefined && (isExplained || failures.length > 0))
          throw new UserFacingError(["Nothing was compacted.", ...failures].join(" "));
        const line = freed === undefined ? nothingLine(engine) : freedLine(freed, engine);
        return { kind: "text", lines: [...failures, line] };
      } finally {
        signal.removeEventListener("abort", interrupt);
        unsubscribe();
      }
    },
  };
}

function progressText(writtenTokens: number, usedTokens: number): string {
  return writtenTokens === 0
    ? `reading about ${formatCount(usedTokens)} tokens`
    : `${formatCount(writtenTokens)} tokens written`;
}

function nothingLine({ state: { providerName, usedTokens, windowTokens } }: Engine): string {
  if (providerName === "offline")
    return "There is nothing to compact: no result can be cleared, and the offline engine writes no summaries.";
  const size = `${formatCount(usedTokens)} of ${formatCount(windowTokens)} tokens`;
  return `There is nothing to compact: the conversation takes about ${size}, and a summary would be no shorter.`;
}

function freedLine(freed: number, { state }: Engine): string {
  const { usedTokens, windowTokens } = state;
  return `Freed about ${formatCount(freed)} tokens: the context now takes about ${formatCount(usedTokens)} of ${formatCount(windowTokens)}.`;
}

type Prompt = { readonly id: string; readonly text: string; readonly later: number };

/** The person's prompts except a first message, newest first. */
function promptsOf({ prompts, state }: Engine): readonly Prompt[] {
  const places = new Map(state.messages.map(({ id }, at) => [id, at]));
  return prompts
    .flatMap(({ messageId: id, text }) => {
      const at = places.get(id) ?? 0;
      return at === 0 ? [] : [{ id, text, later: state.messages.length - at - 1 }];
    })
    .reverse()
    .slice(0, MAX_PROMPTS);
}

function choosePrompt(side: Side, prompts: readonly Prompt[]): CommandResult {
  if (prompts.length === 0)
    return { kind: "text", lines: ["The conversation has no second message of yours to choose yet."] };
  const choices = prompts.map(({ id, text, later }) => ({
    label: oneLine(text).slice(0, MAX_LABEL_CHARS).toWellFormed(),
    detail: `${plural(later, "message")} after it`,
    input: `/compact ${side} ${id}`,
  }));
  return {
    kind: "choose",
    title: SIDES[side],
    choices,
    lines: choices.map(({ label, input }) => `${input}  ${label}`),
  };
}

function partOf(side: Side, id: string): CompactedPart {
  return side === "from" ? { from: id } : { upTo: id };
}

function withHint(hint: string): CompactOptions {
  return hint === "" ? {} : { instructions: hint };
}

/** @throws {UserFacingError} the first word is a form of the command, or close to one. */
function assertIsHint(text: string): void {
  const first = /^(?:up\s+to\b|\S*)/i.exec(text)?.[0].toLowerCase() ?? "";
  const meant = FORMS.find((form) => first.replace(/\s+/, "-") === form || editDistance(first, form) <= 1);
  if (meant === undefined) return;
  throw new UserFacingError(`Nothing was compacted: did you mean "/compact ${meant}"? ${HINT_ADVICE}`);
}

function isSide(word: string): word is Side {
  return Object.hasOwn(SIDES, word);
}
