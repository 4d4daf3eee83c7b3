import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { KeyEvent } from "../input/decode-keys.ts";
import { keyName } from "../keymap/key-name.ts";
import type { helpLines } from "../view/help-lines.ts";
import { GLYPHS } from "../view/theme.ts";
import { actionOf, actionOfChord, keysAfter } from "./action-of.ts";
import type { askedLayer } from "./asked-layer.ts";
import { captureLayer } from "./capture-layer.ts";
import { commonAction, scrollSteps } from "./common-actions.ts";
import { completionLayer } from "./completion-layer.ts";
import { withoutAgreement } from "./exit-word.ts";
import { hiddenInputLayer } from "./hidden-input-layer.ts";
import { historyLayer } from "./history-layer.ts";
import type { Action, Layer } from "./layer.ts";
import { markLayer } from "./mark-layer.ts";
import { pickerLayer } from "./picker-layer.ts";
import { promptLayer } from "./prompt-layer.ts";
import { HOLD_MS } from "./question.ts";
import { stripLayer } from "./strip-layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";
import { viewLayer } from "./view-layer.ts";
import { viewerLayer } from "./viewer-layer.ts";
import { escapedKeys } from "./vim-layer.ts";

export type StackContext = UiContext & {
  /** The open question, once the code of questions is loaded. */
  readonly askedLayer?: typeof askedLayer;
  /** The list of keys, once its code is loaded. */
  readonly helpLines?: typeof helpLines | undefined;
};

/** The open layers, the topmost first; the prompt is always open. The order of layers is defined only here. */
export function openLayers(ui: Ui, context: StackContext): readonly Layer[] {
  const lists = [helpLayer(ui, context), completionLayer(ui, context)];
  const layers = [
    mutedLayer(ui, context),
    viewerLayer(ui, context),
    context.askedLayer?.(ui, context),
    hiddenInputLayer(ui, context),
    viewLayer(ui, context),
    captureLayer(ui, context),
    pickerLayer(ui, context),
    markLayer(ui, context),
    historyLayer(ui, context),
    ...lists,
    // A list below the prompt replaces the strip.
    lists.some((list) => list !== undefined) ? undefined : stripLayer(ui, context),
    operationLayer(ui, context),
    promptLayer(ui, context),
  ];
  return layers.filter((layer) => layer !== undefined);
}

/** Handles a key. The function is pure: side effects are returned as data. */
export function handleKey(ui: Ui, event: KeyEvent, context: StackContext): Handled {
  const escaped = escapedKeys(ui, event);
  const handled = escaped
    ? escaped.reduce<Handled>((before, one) => {
        const { ui: next, effects } = handleOne(before.ui, one, context);
        return { ui: next, effects: [...before.effects, ...effects] };
      }, stay(ui))
    : handleOne(ui, event, context);
  return withoutAgreement(ui, handled, event);
}

/** The maximum time between two keys of a chord. */
const CHORD_MS = 3_000;

/** The only key that both ends a chord and acts: it always stops work. */
const STOPS = "ctrl+c";

function handleOne(ui: Ui, event: KeyEvent, context: StackContext): Handled {
  const key = keyName(event);
  const { chord } = ui;
  if (!chord) return press(ui, event, key, context);
  const free: Ui = { ...ui, chord: undefined };
  if (key === undefined || key === STOPS || context.nowMs > chord.until) return press(free, event, key, context);
  const found = pressChord(free, `${chord.keys} ${key}`, context);
  if (found) return found;
  // Text typed after a key that was pressed by mistake is kept.
  return event.type === "text" ? press(free, event, key, context) : stay(free);
}

/** The next key of a chord. @returns undefined if no chord continues with these keys. */
function pressChord(ui: Ui, keys: string, context: StackContext): Handled | undefined {
  const next = disarmed(ui, keys);
  return pressIn(next, context, { keys, actionIn: (layer) => actionOfChord(keys, layer, context.keymap) });
}

function press(ui: Ui, event: KeyEvent, keys: string | undefined, context: StackContext): Handled {
  const next = disarmed(ui, keys);
  const otherwise = stay(next);
  const actionIn = (layer: Layer) => actionOf(event, layer, context.keymap);
  return pressIn(next, context, { keys, event, actionIn, otherwise }) ?? otherwise;
}

/** An action that waits for its second press keeps waiting only for that key, or the beginning of its chord. */
function disarmed(ui: Ui, keys: string | undefined): Ui {
  const isAwaited = ui.armed && keys !== undefined && `${ui.armed.by} `.startsWith(`${keys} `);
  return ui.armed && !isAwaited ? { ...ui, armed: undefined } : ui;
}

type Pressed = {
  /** The keys; undefined for a longer text. */
  readonly keys: string | undefined;
  /** Absent for a chord. */
  readonly event?: KeyEvent;
  actionIn(layer: Layer): Action | undefined;
  /** The result if no layer handles the keys. */
  readonly otherwise?: Handled;
};

/** Passes the keys to the topmost layer that handles them, or has a chord that continues with them. */
function pressIn(ui: Ui, context: StackContext, { keys, event, actionIn, otherwise }: Pressed): Handled | undefined {
  const passed: Layer[] = [];
  const told = (result: Handled) => passed.reduce((before, above) => above.passed?.(before) ?? before, result);
  for (const layer of openLayers(ui, context)) {
    const taken = event && layer.press?.(event);
    if (taken) return told(taken);
    const next = keys === undefined ? [] : keysAfter(keys, layer, context.keymap);
    if (keys !== undefined && next.length > 0)
      return told(stay({ ...ui, chord: { keys, next, until: context.nowMs + CHORD_MS } }));
    const action = actionIn(layer);
    const handled = action && (commonAction(ui, action, context) ?? layer.handle(action));
    if (handled) return told(handled);
    if (layer.place === "whole") break;
    passed.push(layer);
  }
  return otherwise && told(otherwise);
}

const WORDS = "The form is closed. If you still type into it: pause for a second, then go on.";
/** Keys that stop or leave. */
const PASSED: ReadonlySet<string | undefined> = new Set(["ctrl+c", "ctrl+d", "ctrl+z"]);

/**
 * After a form disappeared while the person typed into it, keys do nothing until a pause: the rest of a password must
 * not become a prompt, or the answer to another question.
 */
function mutedLayer(ui: Ui, { nowMs }: UiContext): Layer | undefined {
  if (nowMs >= ui.mutedUntil) return undefined;
  return {
    contexts: [],
    draft: "empty",
    place: "above",
    press: (event) => (PASSED.has(keyName(event)) ? undefined : stay({ ...ui, mutedUntil: nowMs + HOLD_MS })),
    handle: () => undefined,
    lines: ({ theme, columns }) => ({ lines: [theme.warning(truncateText(`${GLYPHS.info} ${WORDS}`, columns))] }),
  };
}

/** A running operation of a command: the screen shows its progress, and the keys that stop a turn stop it first. */
function operationLayer({ editor }: Ui, { isOperating }: UiContext): Layer | undefined {
  if (!isOperating) return undefined;
  return {
    contexts: ["operation"],
    draft: editor.text === "" ? "empty" : "typed",
    place: "below",
    handle: () => undefined,
    lines: () => ({ lines: [] }),
  };
}

/** The list of keys, below the prompt; typing continues in the prompt. */
function helpLayer(ui: Ui, { keymap, helpLines }: StackContext): Layer | undefined {
  if (!ui.showsKeys) return undefined;
  return {
    contexts: ["menu", "help"],
    draft: ui.editor.text === "" ? "empty" : "typed",
    place: "below",
    isPanel: true,
    handle: (action) => handle(ui, action),
    lines: (room) => ({ lines: helpLines?.(keymap, ui.keysPage, room) ?? [] }),
  };
}

function handle(ui: Ui, action: Action): Handled | undefined {
  if (action.type !== "key") return undefined;
  if (action.name === "menu.close") return stay({ ...ui, showsKeys: false });
  const pages = scrollSteps(action.name, 1);
  return pages === undefined ? undefined : stay({ ...ui, keysPage: ui.keysPage + pages });
}
