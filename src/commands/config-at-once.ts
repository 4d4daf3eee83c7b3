import type { CommandContext } from "../contracts/command.ts";
import type { Choice } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { DEFAULT_STYLE } from "../contracts/output-style.ts";
import type { SettingScope } from "../contracts/setting-sources.ts";
import type { SettingRow } from "../contracts/settings-view.ts";
import { configInput, plainValue } from "./config-choices.ts";
import { resentLines } from "./model.ts";
import { outputStyleCommand } from "./output-style.ts";
import { themeCommand } from "./theme.ts";

export const AT_NEXT_START = "The change takes effect at the next start.";

/** A setting that the running session takes at once, because a part of the session can take it. */
type AtOnce = {
  /** False if this session has nothing that takes the setting. */
  isThere(context: CommandContext): boolean;
  /** Takes a value into the session; undefined for the default. @returns lines for the person. */
  use(value: string | undefined, context: CommandContext): Promise<readonly string[]>;
  /** The command that lists the values, with what is known about them. */
  readonly list?: (context: CommandContext, signal: AbortSignal) => ReturnType<typeof themeCommand.run>;
};

const AT_ONCE: Readonly<Record<string, AtOnce>> = {
  "terminal.theme": {
    isThere: ({ themes }) => themes !== undefined,
    async use(value = "auto", { themes }) {
      await themes?.use(value);
      return [];
    },
    list: (context, signal) => themeCommand.run("", context, signal),
  },
  "terminal.editorMode": {
    isThere: ({ editorModes }) => editorModes !== undefined,
    async use(value, { editorModes }) {
      editorModes?.use(value === "vim" ? "vim" : "plain");
      return [];
    },
  },
  outputStyle: {
    isThere: ({ outputStyles }) => outputStyles !== undefined,
    async use(value = DEFAULT_STYLE, { outputStyles, engine }) {
      if (!outputStyles || outputStyles.current === value) return [];
      await outputStyles.use(value);
      return resentLines(engine.state);
    },
    list: (context, signal) => outputStyleCommand.run("", context, signal),
  },
};

/** When a change takes effect that the session does not take at once. Of the sandbox: what commands run in until then. */
export async function laterLine(key: string, { sandbox }: Pick<CommandContext, "sandbox">): Promise<string> {
  const view = key === "sandbox.enabled" ? await sandbox?.() : undefined;
  if (!view) return AT_NEXT_START;
  const where = view.isInUse ? "in the sandbox" : "without a sandbox";
  return `Commands of this session still run ${where}: the change takes effect at the next start (\`quoll --continue\`).`;
}

/** True for a setting that this session takes at once, although its file is read at the start only. */
export function actsAtOnce(key: string, context: CommandContext): boolean {
  return AT_ONCE[key]?.isThere(context) === true;
}

/** Takes the value that now applies into the session; if that is not possible now, a line says why. */
export async function takeAtOnce({ key, value }: SettingRow, context: CommandContext): Promise<readonly string[]> {
  const used = value === undefined ? undefined : plainValue(value);
  try {
    return (await AT_ONCE[key]?.use(used, context)) ?? [];
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return [error.message, AT_NEXT_START];
  }
}

/**
 * The values of such a setting as its own command lists them, with the command lines of `/config`. Undefined for a
 * setting whose command has no list.
 */
export async function listedValues(
  { key }: SettingRow,
  scope: SettingScope,
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly Choice[] | undefined> {
  if (!actsAtOnce(key, context)) return undefined;
  const list = await AT_ONCE[key]?.list?.(context, signal);
  if (list?.kind !== "choose") return undefined;
  return list.choices.map((choice) => ({ ...choice, input: configInput(scope, key, choice.label) }));
}
