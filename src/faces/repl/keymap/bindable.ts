import type { KeyAction } from "./key-actions.ts";
import { DEFAULT_KEYMAP, type KeyContext } from "./keymap.ts";

/** The contexts that are active at the same time, by layer, in the order in which they are tried. */
export const LAYER_CONTEXTS: readonly (readonly KeyContext[])[] = [
  ["vimInsert", "vimPending", "vimNormal", "stopping", "turn", "idle", "prompt", "text", "app"],
  ["operation"],
  ["menu", "completion", "help"],
  ["held"],
  ["reason", "text", "app"],
  ["term", "question", "app"],
  ["choice", "app"],
  ["words", "text", "app"],
  ["list", "app"],
  ["search", "app"],
  ["hidden", "app"],
  ["watch", "view", "app"],
  ["viewer", "app"],
  ["viewerSearch", "app"],
  ["strip"],
];

/** Contexts that protect a question from keys that were meant for something else. */
export const FIXED_CONTEXTS: ReadonlySet<KeyContext> = new Set<KeyContext>(["guarded", "lateReason", "trust"]);

/** Contexts in which a character is typed, or can become a layer's text. */
export const TYPING_CONTEXTS: ReadonlySet<KeyContext> = new Set<KeyContext>([
  ...(["idle", "turn", "stopping", "operation", "menu", "completion", "help", "held", "reason", "term"] as const),
  ...(["choice", "words", "strip"] as const),
  ...(["list", "search", "vimInsert", "hidden", "viewerSearch", "app", "prompt", "text"] as const),
]);

/** Actions whose effect depends on the key that was pressed. */
const BY_KEY: ReadonlySet<KeyAction> = new Set<KeyAction>([
  "question.answer",
  "choice.pick",
  "list.shortcut",
  "trust.answer",
]);
const EVERYWHERE = ["none", "turn.interrupt", "app.leave", "app.suspend", "app.redraw"] as const;

/** The actions that have an effect in a context: those of the layers in which the context is active. */
export function actionsOf(context: KeyContext): ReadonlySet<KeyAction> {
  const together = new Set(LAYER_CONTEXTS.filter((layer) => layer.includes(context)).flat());
  const named = DEFAULT_KEYMAP.flatMap((one) => (together.has(one.context) ? [one.action] : []));
  return new Set([...named, ...EVERYWHERE].filter((action) => !BY_KEY.has(action)));
}
