import { textWidth } from "@quoll/terminal-text/text-width";
import type { Choice } from "../../../contracts/command-result.ts";
import type { PickerList } from "../../../protocol/session-port.ts";
import type { Completion } from "../layers/ui-state.ts";
import { FIXED_CONTEXTS } from "./bindable.ts";
import { KEY_ACTIONS, type KeyAction } from "./key-actions.ts";
import { changesFor } from "./key-changes.ts";
import { shownKey } from "./key-help.ts";
import { DEFAULT_KEYMAP, KEY_CONTEXTS, type KeyBinding, type KeyContext, type Keymap } from "./keymap.ts";
import type { OwnKeymap } from "./read-keybindings.ts";

/** The contexts that a person looks for first. */
const FIRST = ["prompt", "turn", "idle", "text", "question", "completion", "app"] as const;
const OWN_MARK = "*";
/** A row shows the keys that fit, so that all descriptions begin in one column; the lines about it name all keys. */
const KEYS_COLUMNS = 22;
/** A context that names a key whose effect no person looks for. */
const HIDDEN: ReadonlySet<KeyAction> = new Set<KeyAction>(["none"]);

/**
 * Every action of each context with its keys, for `/keys`; the person's own bindings are marked. Faults of the file
 * come first.
 */
export function keysList(current: OwnKeymap, file: string): PickerList {
  const { keymap, problems } = current;
  const rows = actionRows(keymap).map(({ context, action, keys }): Choice => {
    // A removed key, or a chord that delays one, leaves its mark too.
    const isOwn = changesFor({ verb: "reset", context, action, keys: "" }, current).length > 0;
    const command = (verb: string) => `/keys ${verb} ${context} ${action}`;
    const isFixed = FIXED_CONTEXTS.has(context);
    return {
      label: `${rowKeys(keys).shown || "–"}${isOwn ? ` ${OWN_MARK}` : ""}`,
      detail: withPlace(context, action),
      brief: KEY_ACTIONS[action],
      input: isFixed ? "/keys" : command("set"),
      ...(!isFixed && {
        also: { delete: command(keys.length > 1 ? "remove" : "unbind"), r: command("reset"), a: command("add") },
      }),
      about: [
        ...rowKeys(keys).all,
        `${action} in ${context} (${KEY_CONTEXTS[context]}): ${KEY_ACTIONS[action]}.`,
        isFixed
          ? "These keys can't be changed."
          : isOwn
            ? `${OWN_MARK} your own, in ${file}`
            : "These are the default keys.",
      ],
    };
  });
  const faults = problems.map((text): Choice => ({ label: "fault", detail: text, input: "/keys", about: [text] }));
  return {
    title: "Keys",
    choices: [...faults, ...rows],
    shortcuts: [
      { letter: "delete", label: "removes" },
      { letter: "r", label: "reset" },
      { letter: "a", label: "add" },
    ],
  };
}

type Offered = {
  readonly keymap: Keymap;
  readonly commands: readonly Completion[];
  readonly rows: readonly Choice[];
  /** The words by which the list is filtered when it opens. */
  readonly filter?: string;
};

/** The commands, the keys of each context, and `rows`, for `/help`. */
export function helpList({ keymap, commands, rows, filter = "" }: Offered): PickerList {
  const ofCommands = commands.map(({ name, argumentHint, summary, aliases = [] }): Choice => {
    // The summaries of Quoll's own commands already name them.
    const unnamed = aliases.filter((alias) => !summary.includes(`/${alias}`));
    const others = unnamed.length > 0 ? ` (also /${unnamed.join(", /")})` : "";
    return {
      label: `/${name}`,
      detail: summary,
      input: `/${name}`,
      isDraft: true,
      names: [name, ...aliases],
      about: [...(argumentHint ? [`/${name} ${argumentHint}`] : []), `${summary}.${others}`],
    };
  });
  const ofKeys = actionRows(keymap)
    .filter(({ keys }) => keys.length > 0)
    .map(
      ({ context, action, keys }): Choice => ({
        label: rowKeys(keys).shown,
        detail: withPlace(context, action),
        brief: KEY_ACTIONS[action],
        input: "",
        about: [...rowKeys(keys).all, `${withPlace(context, action)}.`],
      }),
    );
  const named = rows.map((row) => ({ ...row, names: [row.label] }));
  return { title: "Help: commands, keys and tools", choices: [...ofCommands, ...ofKeys, ...named], filter };
}

/** The effect of a key, and when it has it: of the keys of the prompt nobody needs to read that. */
function withPlace(context: KeyContext, action: KeyAction): string {
  const does = KEY_ACTIONS[action];
  if (context === "prompt" || context === "text") return does;
  const place = KEY_CONTEXTS[context];
  const when = context === "app" ? place : context.startsWith("vim") ? `in ${place}` : `when ${place}`;
  return `${does} · ${when}`;
}

/** The keys for a row, and the line about it that names all of them if they don't fit. */
function rowKeys(keys: readonly string[]): { readonly shown: string; readonly all: readonly string[] } {
  const names = keys.map(shownKey);
  const all = names.join(" · ");
  if (textWidth(all) <= KEYS_COLUMNS || names.length < 2) return { shown: all, all: [] };
  const two = `${names.slice(0, 2).join(" · ")} …`;
  return { shown: textWidth(two) <= KEYS_COLUMNS ? two : `${names[0]} …`, all: [all] };
}

type ActionRow = { readonly context: KeyContext; readonly action: KeyAction; readonly keys: readonly string[] };

/** Actions without keys stay in the list. */
function actionRows(keymap: Keymap): readonly ActionRow[] {
  const contexts = new Set([...FIRST, ...(Object.keys(KEY_CONTEXTS) as readonly KeyContext[])]);
  return [...contexts].flatMap((context) => {
    const here = [...DEFAULT_KEYMAP, ...keymap].filter((one) => one.context === context);
    const actions = new Set(here.map(({ action }) => action));
    return [...actions.difference(HIDDEN)].map((action) => ({
      context,
      action,
      keys: [...new Set(keymap.filter((one) => is(one, context, action)).map(({ key }) => key))],
    }));
  });
}

function is(one: KeyBinding, context: KeyContext, action: KeyAction): boolean {
  return one.context === context && one.action === action;
}
