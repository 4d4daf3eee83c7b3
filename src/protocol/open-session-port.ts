import type {
  Command,
  CommandContext,
  EditorModes,
  KeyDescription,
  KeysRequest,
  Themes,
} from "../contracts/command.ts";
import type { Clock } from "../contracts/ports.ts";
import type { Registry } from "../contracts/registry.ts";
import type { ThemeChoice } from "../contracts/theme.ts";
import { SlashCommands } from "./commands/slash-commands.ts";
import { EnginePort, type ShowingScreen, type ShownSession } from "./engine-port.ts";

/** The session that a screen shows, and its commands. */
export type SessionParts = ShownSession & {
  readonly commands: Registry<Command>;
  /** The services of commands besides the engine and the screen. */
  readonly context: Omit<CommandContext, "engine" | "now" | "exit" | "resume" | "reopen" | keyof ScreenContext>;
};

/** The facts about the screen that commands learn. */
type ScreenContext = Pick<CommandContext, "isPlain" | "keys" | "listsGrow" | "showKeys">;

type PortScreen = ShowingScreen & {
  readonly clock: Pick<Clock, "now">;
  /** True for a screen of lines, without other screens and hidden input. */
  readonly isPlain: boolean;
  /** The keys of a plain screen, for help. */
  readonly keys: readonly KeyDescription[];
  /** True if a command may end the screen and reopen the session. */
  readonly canReopen: boolean;
};

/**
 * This process's engine and commands, in the form that a screen expects. Each screen has a separate port, so that lists
 * and fields of a command go to the screen that ran it.
 * @param failed Reports a bug in Quoll.
 */
export function openSessionPort(
  session: SessionParts,
  screen: PortScreen,
  failed: (error: unknown) => void,
): EnginePort {
  const { engine, context } = session;
  const { clock, keys } = screen;
  const open = (sessionId: string | undefined) => port.emit({ type: "leave", next: { sessionId } });
  const commands = new SlashCommands(session.commands, screen.isPlain ? "lines" : "full", {
    ...context,
    engine,
    ...(context.editorModes && {
      editorModes: announcedModes(context.editorModes, (mode) => port.emit({ type: "editor_mode", mode })),
    }),
    ...(context.themes && { themes: announcedThemes(context.themes, (theme) => port.emit({ type: "theme", theme })) }),
    ...(screen.isPlain
      ? { keys, isPlain: true as const }
      : { listsGrow: true as const, showKeys: (request: KeysRequest) => port.emit({ type: "keys", request }) }),
    now: () => clock.now(),
    resume: open,
    ...(screen.canReopen && { reopen: open }),
    exit: () => port.emit({ type: "leave" }),
  });
  const port = new EnginePort({ session, screen, commands, failed });
  return port;
}

/** Tells the screen which editing mode was chosen. */
function announcedModes(modes: EditorModes, emit: (mode: EditorModes["current"]) => void): EditorModes {
  return {
    get current() {
      return modes.current;
    },
    async choose(mode) {
      await modes.choose(mode);
      emit(mode);
    },
    use(mode) {
      modes.use(mode);
      emit(mode);
    },
  };
}

/** Tells the screen which theme was chosen. */
function announcedThemes(themes: Themes, emit: (theme: ThemeChoice) => void): Themes {
  return {
    list: () => themes.list(),
    async choose(name) {
      const theme = await themes.choose(name);
      emit(theme);
      return theme;
    },
    async use(name) {
      const theme = await themes.use(name);
      emit(theme);
      return theme;
    },
  };
}
