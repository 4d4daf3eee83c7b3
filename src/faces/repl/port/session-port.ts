import type { ReadCall } from "../../../contracts/call-record.ts";
import type { EditorModes, KeysRequest, Themes } from "../../../contracts/command.ts";
import type { EngineEvent } from "../../../contracts/event.ts";
import type { ThemeChoice } from "../../../contracts/theme.ts";
import { keyHelp } from "../keymap/key-help.ts";
import { DEFAULT_KEYMAP } from "../keymap/keymap.ts";
import { SlashCommands } from "../prompt/slash-commands.ts";
import type { ReplProps } from "../repl-props.ts";
import { EnginePort } from "./engine-port.ts";

export type PortParts = Pick<ReplProps, "engine" | "tasks" | "restored" | "commands" | "context" | "clock"> & {
  readonly readCall?: ReadCall | undefined;
  /** True if the screen can't show lists, forms or views. */
  readonly isPlain: boolean;
  /** True if the screen's editor is part of this process: it gets a cancelled prompt back. */
  readonly takesPromptsBack?: boolean;
  /** True if a command may end the screen and reopen the session. */
  readonly canReopen: boolean;
  /** The events of this process so far, for a screen that opens late. */
  readonly earlier?: () => readonly EngineEvent[];
};

/**
 * This process's engine and commands, in the form that a screen expects. Each screen has a separate port, so that lists
 * and fields of a command go to the screen that ran it.
 * @param failed Reports a bug in Quoll.
 */
export function openSessionPort(parts: PortParts, failed: (error: unknown) => void): EnginePort {
  const { engine, tasks, readCall, restored, clock, context, earlier, takesPromptsBack = false } = parts;
  const open = (sessionId: string | undefined) => port.tell({ type: "leave", next: { sessionId } });
  const commands = new SlashCommands(parts.commands, parts.isPlain, {
    ...context,
    engine,
    ...(context.editorModes && {
      editorModes: toldModes(context.editorModes, (mode) => port.tell({ type: "editor_mode", mode })),
    }),
    ...(context.themes && { themes: toldThemes(context.themes, (theme) => port.tell({ type: "theme", theme })) }),
    ...(parts.isPlain
      ? { keys: keyHelp(DEFAULT_KEYMAP) }
      : { listsGrow: true as const, showKeys: (request: KeysRequest) => port.tell({ type: "keys", request }) }),
    now: () => clock.now(),
    resume: open,
    ...(parts.canReopen && { reopen: open }),
    exit: () => port.tell({ type: "leave" }),
  });
  const port = new EnginePort({ engine, tasks, readCall, commands, restored, earlier, takesPromptsBack, failed });
  return port;
}

/** Tells the screen which editing mode was chosen. */
function toldModes(modes: EditorModes, tell: (mode: EditorModes["current"]) => void): EditorModes {
  return {
    get current() {
      return modes.current;
    },
    async choose(mode) {
      await modes.choose(mode);
      tell(mode);
    },
  };
}

/** Tells the screen which theme was chosen. */
function toldThemes(themes: Themes, tell: (theme: ThemeChoice) => void): Themes {
  return {
    list: () => themes.list(),
    async choose(name) {
      const theme = await themes.choose(name);
      tell(theme);
      return theme;
    },
  };
}
