import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult, FormField, FormResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { SETTING_SCOPES, type SettingScope } from "../contracts/setting-sources.ts";
import type { SettingEdit, SettingRow, SettingsView } from "../contracts/settings-view.ts";
import { continuing } from "./complete.ts";
import { AT_NEXT_START, actsAtOnce, laterLine, listedValues, takeAtOnce } from "./config-at-once.ts";
import { configInput, descriptionOf, itemChoices, plainValue, valueChoices } from "./config-choices.ts";
import { NAMED_SETTINGS, settingChoices } from "./config-switches.ts";

const TITLE = "Settings";
const FIELD = "value";
const ARGUMENT = /^(?:--scope\s+(\S+)\s*)?(\S+)?\s*(?:(--unset|--add|--remove)\b)?\s*([\s\S]*)$/;

/** The request of a typed `/config`. Without a key: the list. */
type Asked = {
  readonly scope: SettingScope;
  readonly key: string | undefined;
  readonly flag: string | undefined;
  readonly value: string;
};

/** The settings, and the session that takes their changes. */
type ConfigCall = { readonly view: SettingsView; readonly context: CommandContext; readonly signal: AbortSignal };

/** Lists all settings, and changes one in the person's file, or in another one with `--scope`. */
export const configCommand: Command = {
  name: "config",
  summary: "Show and change settings",
  argumentHint: "[key] [value]",
  interactive: true,
  needsNoServers: true,
  async complete(typed, context) {
    const rows = await (await settingsOf(context)).list();
    const [name = "", ...rest] = typed.split(" ");
    const named = rest.length > 0 ? rows.find(({ key }) => key === name) : undefined;
    if (named) {
      return continuing(
        typed,
        named.values.map((value) => ({ value: `${name} ${value}`, summary: "" })),
      );
    }
    return continuing(
      typed,
      rows.map((row) => ({ value: row.key, summary: descriptionOf(row) })),
    );
  },
  async run(argument, context, signal) {
    const asked = askedFor(withoutVerb(argument.trim()));
    const call = { view: await settingsOf(context), context, signal };
    if (asked.key === undefined) return listOf(call, asked.scope);
    const { key, scope, flag, value } = asked;
    const edit = editOf(asked, key);
    if (edit) return changed(call, edit);
    const row = await rowNamed(call.view, key);
    return flag === "--add" && value === ""
      ? valueForm({ call, row, scope, adds: true }, {})
      : openSetting(call, row, scope);
  },
};

/** `set KEY VALUE`, `get KEY`, `list` and `unset KEY`, as in a shell: no setting has such a name. */
function withoutVerb(argument: string): string {
  const [, verb, rest = ""] = /^(set|get|list|unset)(?:\s+([\s\S]*))?$/.exec(argument) ?? [];
  if (verb === undefined) return argument;
  return verb === "unset" && rest !== "" ? `${rest} --unset` : rest;
}

/** @throws {UserFacingError} if there is no such scope. */
function askedFor(argument: string): Asked {
  const [, named = "user", key, flag, value = ""] = ARGUMENT.exec(argument) ?? [];
  const scope = SETTING_SCOPES.find((one) => one === named);
  if (!scope) throw new UserFacingError(`There is no scope "${named}": choose ${SETTING_SCOPES.join(", ")}.`);
  return { scope, key, flag, value };
}

async function settingsOf({ settings }: CommandContext): Promise<SettingsView> {
  const view = await settings?.();
  if (!view) throw new UserFacingError("`quoll config list` in a shell shows the settings.");
  return view;
}

function editOf({ scope, flag, value }: Asked, key: string): SettingEdit | undefined {
  if (flag === "--unset") return { what: "unset", key, scope };
  if (value === "") return undefined;
  if (flag === "--remove") return { what: "unset", key, scope, value };
  return { what: "set", key, scope, value, adds: flag === "--add" };
}

/**
 * A free name, such as `env.NAME`, has a row even if it is not set yet; an unknown name is refused with the most
 * similar name.
 */
async function rowNamed(view: SettingsView, key: string): Promise<SettingRow> {
  const found = (await view.list()).find((row) => row.key === key);
  return found ?? view.describe(key);
}

async function listOf(
  { view, context }: ConfigCall,
  scope: SettingScope,
  before: readonly string[] = [],
): Promise<CommandResult> {
  const listed = await view.list();
  const rows = listed.map((row) => (actsAtOnce(row.key, context) ? { ...row, isLive: true } : row));
  const next = SETTING_SCOPES[(SETTING_SCOPES.indexOf(scope) + 1) % SETTING_SCOPES.length] ?? "user";
  const set = rows.filter(({ value }) => value !== undefined);
  return {
    kind: "choose",
    title: TITLE,
    choices: settingChoices(rows, scope, view.files),
    shortcuts: [
      { letter: "r", label: "reset" },
      { letter: "p", label: `file: ${scope}`, input: configInput(next) },
    ],
    ...(before.length > 0 && { before, isTold: true }),
    lines: [
      ...set.map(({ key, value, source }) => `${key} = ${value}  (${source})`),
      ...(set.length === 0 ? ["No setting is set: the defaults apply."] : []),
      "`/config <key> <value>` changes a setting, `/config <key> --unset` resets the setting; `/config --scope own …` changes another file.",
    ],
  };
}

async function openSetting(call: ConfigCall, row: SettingRow, scope: SettingScope): Promise<CommandResult> {
  const back = configInput(scope);
  const lines = [`${row.key}: ${row.type}. ${descriptionOf(row)}`, `\`/config ${row.key} <value>\` sets it.`];
  const listed = await listedValues(row, scope, call.context, call.signal);
  const choices = listed ?? (row.isList ? itemChoices(row, scope) : valueChoices(row, scope));
  if (choices.length > 0) return { kind: "choose", title: titleOf(row), choices, back, lines };
  const given = row.value === undefined || row.isHidden ? {} : { value: plainValue(row.value) };
  return valueForm({ call, row, scope, adds: false }, given);
}

/** The name in words, if the setting has one, and the key. */
function titleOf({ key }: SettingRow): string {
  const name = NAMED_SETTINGS.find((setting) => setting.key === key)?.name;
  return name === undefined ? key : `${name} (${key})`;
}

type Filled = {
  readonly call: ConfigCall;
  readonly row: SettingRow;
  readonly scope: SettingScope;
  readonly adds: boolean;
};

/** The names of models continue what is typed; other texts have no known values. */
function suggesting({ key }: SettingRow, { context: { models } }: ConfigCall): Pick<FormField, "suggest"> {
  if (key !== "model" || !models) return {};
  const suggest = async (typed: string) =>
    models.list().filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  return { suggest };
}

/** Shows a value that does not fit again in the form, with the reason. */
function valueForm(filled: Filled, given: { readonly value?: string; readonly problem?: string }): FormResult {
  const { call, row, scope, adds } = filled;
  const { key } = row;
  return {
    kind: "form",
    title: titleOf(row),
    fields: [{ name: FIELD, label: adds ? "add a value" : row.type, ...suggesting(row, call), ...given }],
    lines: [`\`/config ${key} <value>\` sets it.`],
    back: configInput(scope, ...(row.isList ? [key] : [])),
    async submit({ [FIELD]: value = "" }) {
      try {
        return await changed(call, { what: "set", key, scope, value, adds });
      } catch (error) {
        if (!(error instanceof UserFacingError)) throw error;
        return valueForm(filled, { value, problem: error.message });
      }
    },
  };
}

/** Changes a file and shows the list again, so that the person sees the effective values. */
async function changed(call: ConfigCall, edit: SettingEdit): Promise<CommandResult> {
  const { view, context } = call;
  const { key, scope } = edit;
  const { lines, warnings, isSame, isLive } = await view.edit(edit);
  const row = await rowNamed(view, key);
  const isAtOnce = actsAtOnce(key, context);
  const used = isAtOnce ? await takeAtOnce(row, context) : [];
  const isLater = !isSame && !isAtOnce && (!isLive || scope === "project");
  const told = [...(isLater ? withTime(lines, await laterLine(key, context)) : lines), ...warnings, ...used];
  if (row.isList) return { ...openList(row, scope), before: told, isTold: true };
  return listOf(call, scope, told);
}

/** One line says what has changed and when it takes effect, unless there is more to say. */
function withTime(lines: readonly string[], later: string): readonly string[] {
  if (lines.length !== 1 || later !== AT_NEXT_START) return [...lines, later];
  return lines.map((line) => `${line}, from the next start on`);
}

function openList(row: SettingRow, scope: SettingScope): Extract<CommandResult, { kind: "choose" }> {
  const lines = (row.items ?? []).map(({ value, source }) => `${plainValue(value)}  (${source})`);
  return { kind: "choose", title: row.key, choices: itemChoices(row, scope), back: configInput(scope), lines };
}
