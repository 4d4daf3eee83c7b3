import type { ReadCall } from "../contracts/call-record.ts";
import type {
  Command,
  CommandContext,
  EditorModes,
  KeyDescription,
  KeysRequest,
  Themes,
} from "../contracts/command.ts";
import type { Engine } from "../contracts/engine.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import type { Registry } from "../contracts/registry.ts";
import type { ShownConversation } from "../contracts/session.ts";
import type { TaskControl } from "../contracts/task-control.ts";
import type { ThemeChoice } from "../contracts/theme.ts";
import { SlashCommands } from "./commands/slash-commands.ts";
import { EnginePort } from "./engine-port.ts";
import type { SessionSurroundings } from "./surroundings-port.ts";

/** The session that a screen shows. */
export type SessionParts = {
  /** Absent for an engine alone. */
  readonly surroundings?: SessionSurroundings;
  readonly engine: Engine;
  /** Controls the running agents and background shells; absent if there is no background work. */
  readonly tasks?: TaskControl;
  /** Reads the parts of an ended call that the screen does not hold. */
  readonly readCall?: ReadCall;
  /** The saved conversation of earlier processes, to be shown again. */
  readonly restored?: ShownConversation | undefined;
  readonly commands: Registry<Command>;
  /** The services of commands besides the engine. */
  readonly context: Pick<
    CommandContext,
    | "inventory"
    | "permissions"
    | "models"
    | "editorModes"
    | "themes"
    | "sessions"
    | "settings"
    | "facts"
    | "statusLine"
    | "folders"
    | "changes"
    | "editors"
    | "sandbox"
    | "terminal"
    | "accounts"
    | "doctor"
    | "spend"
    | "ports"
    | "instructions"
  >;
};

export type PortParts = SessionParts & {
  readonly clock: Pick<Clock, "now">;
  /** True for a screen of lines, without other screens and hidden input. */
  readonly isPlain: boolean;
  /** The keys of a plain screen, for help. */
  readonly keys: readonly KeyDescription[];
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
  const {
    engine,
    surroundings,
    tasks,
    readCall,
    restored,
    clock,
    context,
    keys,
    earlier,
    takesPromptsBack = false,
  } = parts;
  const open = (sessionId: string | undefined) => port.tell({ type: "leave", next: { sessionId } });
  const commands = new SlashCommands(parts.commands, parts.isPlain ? "lines" : "full", {
    ...context,
    engine,
    ...(context.editorModes && {
      editorModes: toldModes(context.editorModes, (mode) => port.tell({ type: "editor_mode", mode })),
    }),
    ...(context.themes && { themes: toldThemes(context.themes, (theme) => port.tell({ type: "theme", theme })) }),
    ...(parts.isPlain
      ? { keys, isPlain: true as const }
      : { listsGrow: true as const, showKeys: (request: KeysRequest) => port.tell({ type: "keys", request }) }),
    now: () => clock.now(),
    resume: open,
    ...(parts.canReopen && { reopen: open }),
    exit: () => port.tell({ type: "leave" }),
  });
  const port = new EnginePort({
    engine,
    surroundings,
    tasks,
    readCall,
    commands,
    restored,
    earlier,
    takesPromptsBack,
    failed,
  });
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
    use(mode) {
      modes.use(mode);
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
    async use(name) {
      const theme = await themes.use(name);
      tell(theme);
      return theme;
    },
  };
}
