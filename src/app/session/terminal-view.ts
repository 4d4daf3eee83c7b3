import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { parse } from "jsonc-parser/lib/esm/main.js";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { TerminalAnswers, TerminalView } from "../../contracts/machine-views.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { readSmallText, replaceSharedFile } from "../../platform/private-file.ts";
import { type TerminalFacts, terminalFacts } from "../../platform/terminal-facts.ts";
import { withItem } from "../../services/config/change-file.ts";
import type { Session } from "./session.ts";

const NO_ANSWER = "no answer";
const MAX_DEVICE_COLUMNS = 40;
const MAX_KEYS_BYTES = 4 * 1024 * 1024;
/** The first number of the secondary device attributes of some programs. */
const DEVICES = new Map([
  ["41", "xterm"],
  ["77", "mintty"],
  ["83", "screen"],
  ["84", "tmux"],
]);
/** VS Code's own command: the terminal receives alt+enter, which every terminal can send. */
const BINDING = {
  key: "shift+enter",
  command: "workbench.action.terminal.sendSequence",
  args: { text: "\u001b\r" },
  when: "terminalFocus",
};
const FOLDERS: Readonly<Record<string, string>> = { "VS Code": "Code", Cursor: "Cursor" };

/** The features of the person's terminal; what it answered itself comes before what is known of its kind. Nothing is written unless `bindKeys` is called. */
export function terminalView({ environment }: Pick<Session, "environment">, answers?: TerminalAnswers): TerminalView {
  const facts = terminalFacts(environment.env);
  const file = keysFile(facts, environment);
  return {
    name: facts.multiplexer === undefined ? facts.name : `${facts.name}, inside of ${facts.multiplexer}`,
    lines: abilities(facts, answers),
    newLine: newLineWays(facts, answers),
    ...(file !== undefined && {
      keysFile: shortPath(file, environment.own.home),
      bindKeys: () => bindKeys(file, environment.own.home),
    }),
  };
}

/** The key bindings file of VS Code and its derivatives. Over SSH, this file is on the person's own machine. */
function keysFile(
  { name, kittyKeys, isRemote }: TerminalFacts,
  { machine, own }: Session["environment"],
): string | undefined {
  const folder = FOLDERS[name];
  if (folder === undefined || kittyKeys === true || isRemote) return undefined;
  const base = machine.os === "darwin" ? join(own.home, "Library/Application Support") : join(own.home, ".config");
  const user = join(base, folder, "User");
  return entryExists(user) ? join(user, "keybindings.json") : undefined;
}

async function bindKeys(file: string, home: string): Promise<string> {
  const shown = shortPath(file, home);
  try {
    const text = (await readSmallText(file, MAX_KEYS_BYTES)) ?? "";
    const bindings: unknown = text.trim() === "" ? [] : parse(text);
    if (!Array.isArray(bindings))
      throw new UserFacingError(`${shown} is not a list of key bindings: add the binding yourself.`);
    const isBound = bindings.some((one: unknown) => JSON.stringify(one)?.includes('"shift+enter"') === true);
    if (isBound) return `${shown} binds shift+enter already: nothing was changed.`;
    replaceSharedFile(file, withItem(text.trim() === "" ? "[]\n" : text, [], BINDING));
    return `Added shift+enter to ${shown}. It takes effect at once.`;
  } catch (error) {
    if (error instanceof UserFacingError) throw error;
    throw new UserFacingError(`${shown} could not be changed (${errorMessage(error)}).`, 1, { cause: error });
  }
}

function abilities(
  { kittyKeys, clipboard, notifications, trueColour, links, images, showsImages }: TerminalFacts,
  answers: TerminalAnswers | undefined,
): readonly string[] {
  return [
    `keys such as shift+enter: ${keysWord(kittyKeys, answers)}`,
    ...(answers ? [`background (OSC 11): ${answers.background ?? NO_ANSWER}`] : []),
    ...(answers?.device === undefined ? [] : [`it calls itself (device attributes): ${deviceName(answers.device)}`]),
    "whole frames (mode 2026): always marked; terminals without it ignore them",
    `clipboard for programs (OSC 52): ${word(clipboard)}`,
    `notifications (OSC 9): ${word(notifications)}`,
    `16 million colours: ${word(trueColour)}`,
    `links (OSC 8): ${links ? "yes" : "not known to work: FORCE_HYPERLINK=1 turns them on"}`,
    `images: ${images ?? "not known to work"} (Quoll shows ${showsImages ? "them" : "their names"})`,
  ];
}

function deviceName(device: string): string {
  const name = DEVICES.get(device.split(";")[0] ?? "");
  const told = oneLine(device, MAX_DEVICE_COLUMNS);
  return name === undefined ? told : `${told}, as ${name} does`;
}

/** A terminal that answered other questions, but not this one, has not got kitty's protocol. */
function keysWord(known: boolean | undefined, answers: TerminalAnswers | undefined): string {
  if (answers?.keys === "kitty") return "yes, it answered (kitty's protocol)";
  if (answers?.keys === "xterm") return "asked for (xterm's modified keys)";
  const isSilent = answers?.device !== undefined || answers?.background !== undefined;
  return isSilent ? "no: it did not answer about kitty's protocol" : `${word(known)} (kitty's protocol)`;
}

function word(known: boolean | undefined): string {
  return known === undefined ? "unknown (its version and settings decide)" : known ? "yes" : "no";
}

const WAYS: Readonly<Record<string, string>> = {
  WezTerm: "shift+enter needs enable_kitty_keyboard = true in WezTerm's configuration.",
  "Apple Terminal": "option+enter works after Settings, Profiles, Keyboard, Use Option as Meta key.",
  iTerm2: "For the clipboard: Settings, General, Selection, Applications in terminal may access clipboard.",
};

function newLineWays({ name, kittyKeys, multiplexer }: TerminalFacts, answers?: TerminalAnswers): readonly string[] {
  const hint = WAYS[name];
  const isTold = answers?.keys === "kitty" || (answers?.keys === "xterm" && multiplexer === undefined);
  return [
    isTold || (kittyKeys === true && multiplexer === undefined)
      ? "shift+enter"
      : "ctrl+j, alt+enter, or \\ before enter",
    ...(hint === undefined ? [] : [hint]),
    ...(multiplexer === "tmux" ? ["In tmux, shift+enter needs: set -s extended-keys on"] : []),
  ];
}
