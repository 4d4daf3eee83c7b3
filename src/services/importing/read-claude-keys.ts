import { entriesOf, type ImportLine, type ImportReader, leftOut, objectOf, shown } from "./import-line.ts";

/**
 * The contexts of Quoll in which the keys of a Claude Code context have their default bindings, the most likely first.
 */
export const CLAUDE_CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  Global: ["app", "prompt", "turn", "idle"],
  Chat: ["prompt", "text", "turn", "idle"],
  Autocomplete: ["completion", "menu"],
  Confirmation: ["question"],
  Help: ["menu", "help"],
  Transcript: ["viewer"],
  HistorySearch: ["search"],
  Task: ["turn"],
  Footer: ["strip"],
  Select: ["list"],
  Settings: ["list"],
  ThemePicker: ["list"],
  ModelPicker: ["list"],
};

/**
 * The action and context of Quoll for each documented action of Claude Code that has a counterpart
 * (code.claude.com/docs, "Customize keyboard shortcuts").
 */
export const CLAUDE_ACTIONS: Readonly<Record<string, readonly [context: string, action: string]>> = {
  "app:interrupt": ["turn", "turn.interrupt"],
  "app:exit": ["idle", "app.leave"],
  "app:redraw": ["app", "app.redraw"],
  "app:toggleTodos": ["prompt", "prompt.foldSteps"],
  "app:toggleTranscript": ["prompt", "prompt.openTranscript"],
  "history:search": ["prompt", "search.open"],
  "history:previous": ["prompt", "prompt.up"],
  "history:next": ["prompt", "prompt.down"],
  "chat:cancel": ["turn", "turn.interrupt"],
  "chat:clearInput": ["app", "app.redraw"],
  "chat:clearScreen": ["app", "app.redraw"],
  "chat:killAgents": ["prompt", "agents.stopAll"],
  "chat:cycleMode": ["prompt", "prompt.nextMode"],
  "chat:modelPicker": ["prompt", "prompt.chooseModel"],
  "chat:thinkingToggle": ["prompt", "prompt.chooseThinking"],
  "chat:submit": ["prompt", "prompt.submit"],
  "chat:queueSubmit": ["prompt", "prompt.queueNext"],
  "chat:newline": ["prompt", "prompt.newLine"],
  "chat:undo": ["text", "text.undo"],
  "chat:externalEditor": ["prompt", "prompt.openEditor"],
  "chat:stash": ["prompt", "prompt.stash"],
  "chat:imagePaste": ["prompt", "prompt.pasteImage"],
  "autocomplete:accept": ["completion", "menu.complete"],
  "autocomplete:dismiss": ["menu", "menu.close"],
  "autocomplete:previous": ["completion", "menu.previous"],
  "autocomplete:next": ["completion", "menu.next"],
  "confirm:yes": ["question", "question.accept"],
  "confirm:no": ["question", "question.reject"],
  "confirm:previous": ["question", "question.previous"],
  "confirm:next": ["question", "question.next"],
  "confirm:toggle": ["question", "question.toggle"],
  "transcript:exit": ["viewer", "viewer.close"],
  "historySearch:next": ["search", "search.older"],
  "historySearch:accept": ["search", "search.accept"],
  "historySearch:execute": ["search", "search.accept"],
  "historySearch:cancel": ["search", "search.close"],
  "historySearch:cycleScope": ["search", "search.scope"],
  "task:background": ["turn", "turn.background"],
  "help:dismiss": ["menu", "menu.close"],
  "footer:up": ["strip", "strip.previous"],
  "footer:down": ["strip", "strip.next"],
  "footer:openSelected": ["strip", "strip.watch"],
  "footer:clearSelection": ["strip", "strip.leave"],
  "select:next": ["list", "list.next"],
  "select:previous": ["list", "list.previous"],
  "select:pageUp": ["list", "list.pageUp"],
  "select:pageDown": ["list", "list.pageDown"],
  "select:first": ["list", "list.top"],
  "select:last": ["list", "list.bottom"],
  "select:accept": ["list", "list.accept"],
  "select:cancel": ["list", "list.close"],
};

/** `keybindings.json` of Claude Code. Its key names are not case-sensitive. */
export const readClaudeKeys: ImportReader = ({ data, lineOf }) => {
  const list: unknown = data["bindings"];
  if (!Array.isArray(list)) return [];
  return list.flatMap((block: unknown, at) => {
    const { context, bindings } = objectOf(block);
    return entriesOf(bindings).map(([keys, action]): ImportLine => {
      const line = lineOf(["bindings", at, "bindings", keys]);
      return { ...keyLine(shown(context), keys, action), ...(line !== undefined && { line }) };
    });
  });
};

function keyLine(context: string, keys: string, action: unknown): ImportLine {
  const read = `${context}: ${keys} = ${shown(action)}`;
  const lower = keys.trim().toLowerCase();
  if (action === null) {
    const contexts = CLAUDE_CONTEXTS[context];
    return contexts
      ? { read, part: { kind: "keys", contexts, keys: lower, action } }
      : leftOut(read, "Quoll has no such context");
  }
  const [own, name] = CLAUDE_ACTIONS[shown(action)] ?? [];
  return own !== undefined && name !== undefined
    ? { read, part: { kind: "keys", contexts: [own], keys: lower, action: name } }
    : leftOut(read, "Quoll has no such action");
}
