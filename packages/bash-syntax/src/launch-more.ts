import {
  type Launch,
  type Launcher,
  type LaunchPart,
  literal,
  plainValue,
  scriptLaunch,
  unknownLaunch,
} from "./launch-parts.ts";
import { matchLeading } from "./match-flags.ts";
import type { ShellWord } from "./types.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const HYPERFINE_FLAGS = words(
  "-i -N -w= -r= -m= -M= -p= -s= -c= -u= -n= -P=2 -L=2 --ignore-failure --warmup= --runs= --min-runs= --max-runs= --prepare= --setup= --cleanup= --conclude= --time-unit= --command-name= --style= --export-json= --export-markdown= --export-csv= --show-output --output=",
);
const HYPERFINE_SCRIPTS = words("-p -s -c --prepare --setup --cleanup --conclude");

/** `hyperfine 'a' 'b'`: each operand is a script for a shell, and so is each preparation command. */
export const launchHyperfine: Launcher = (args, { source }) => {
  const found = matchAnywhere(HYPERFINE_FLAGS, args);
  if (found === undefined) return unknownLaunch(source);
  const { operands, valuesOf } = found;
  const parts = [...HYPERFINE_SCRIPTS.flatMap(valuesOf).map(literal), ...operands].map((word) =>
    scriptLaunch([word], { within: "script" }),
  );
  return joined(parts);
};

function joined(launches: readonly Launch[]): Launch | undefined {
  if (launches.length === 0) return undefined;
  return {
    parts: launches.flatMap(({ parts }) => parts),
    isTransparent: false,
    unknown: launches.flatMap(({ unknown }) => unknown),
  };
}

/** Flags may also be between operands. */
function matchAnywhere(specs: readonly string[], args: readonly ShellWord[]) {
  const operands: ShellWord[] = [];
  const values = new Map<string, string[]>();
  let rest = args;
  while (rest.length > 0) {
    const leading = matchLeading(specs, rest);
    if (leading === undefined) return undefined;
    for (const flag of leading.flags) values.set(flag, [...(values.get(flag) ?? []), ...leading.valuesOf(flag)]);
    operands.push(...leading.rest.slice(0, 1));
    rest = leading.rest.slice(1);
  }
  return { operands, valuesOf: (flag: string): readonly string[] => values.get(flag) ?? [] };
}

const TMUX_GLOBALS = words("-2 -u -v -q -L= -S= -f= -T=");
const TMUX_LOOKS =
  /^(?:ls|list-\w+|ls[wpkcb]|show(?:-\w+)?|has(?:-session)?|kill-\w+|capturep|capture-pane|info|select-\w+|rename-\w+|attach(?:-session)?|detach(?:-client)?)$/;
const TMUX_STARTS = /^(?:new(?:-session)?|neww|new-window|splitw|split-window|respawnw|respawnp|respawn-\w+)$/;
const TMUX_FLAGS = words("-A -a -b -d -D -E -P -X -k -S -v -h -I -f -Z -c= -e= -F= -n= -s= -t= -x= -y= -l= -p=");

/**
 * `tmux new 'script'`, `tmux new words`; commands that type into a window, or that contain a format with a command,
 * are unknown.
 */
export const launchTmux: Launcher = (args, { source }) => {
  if (args.some(({ value }) => value === undefined || /#\(|;$/.test(value))) return unknownLaunch(source);
  const leading = matchLeading(TMUX_GLOBALS, args);
  if (leading === undefined) return unknownLaunch(source);
  const [sub, ...after] = leading.rest;
  const name = plainValue(sub);
  if (name === undefined) return sub === undefined && leading.flags.has("-v") ? undefined : unknownLaunch(source);
  if (TMUX_LOOKS.test(name)) return undefined;
  return TMUX_STARTS.test(name) ? windowLaunch(TMUX_FLAGS, after, source) : unknownLaunch(source);
};

const SCREEN_FLAGS = words("-d -m -D -R -a -A -U -q -O -L -S= -t= -h= -s= -T= -p= -e=");

/** `screen -dmS name words`. */
export const launchScreen: Launcher = (args, { source }) => {
  if (args.length === 1 && /^-(?:ls|list|v|wipe|-version)$/.test(args[0]?.value ?? "")) return undefined;
  return windowLaunch(SCREEN_FLAGS, args, source);
};

/**
 * A window runs a single word as a script, and several words as a program with arguments. Without words it starts a
 * shell.
 */
function windowLaunch(flags: readonly string[], args: readonly ShellWord[], source: string): Launch | undefined {
  const leading = matchLeading(flags, args);
  if (leading === undefined) return unknownLaunch(source);
  const { rest } = leading;
  if (rest.length === 0) return undefined;
  if (rest.length === 1) return scriptLaunch(rest, { within: "script" });
  return wordsLaunch(rest);
}

/** `nix develop -c words`, `nix shell x --command words`. */
export const launchNix: Launcher = (args, { source }) => {
  if (!args.some(({ value }) => value === "develop" || value === "shell" || value === "env")) return undefined;
  const at = args.findIndex(({ value }) => value === "-c" || value === "--command");
  if (at < 0) return undefined;
  const inner = args.slice(at + 1);
  return plainValue(inner[0]) === undefined ? unknownLaunch(source) : wordsLaunch(inner);
};

/** `start-stop-daemon --start --exec program -- words`. */
export const launchDaemon: Launcher = (args, { source }) => {
  if (args.some(({ value }) => /^(?:-K|--stop|-T|--status|-V|--version)$/.test(value ?? ""))) return undefined;
  const values = args.flatMap((word, at): readonly (ShellWord | undefined)[] => {
    if (/^(?:-a|-x|--exec|--startas)$/.test(word.value ?? "")) return [args[at + 1]];
    const attached = /^--(?:exec|startas)=([\s\S]*)$/.exec(word.value ?? "")?.[1];
    return attached === undefined ? [] : [literal(attached)];
  });
  const dashes = args.findIndex(({ value }) => value === "--");
  const more = dashes < 0 ? [] : args.slice(dashes + 1);
  if (values.length === 0 || values.some((word) => plainValue(word) === undefined)) return unknownLaunch(source);
  return joined(values.flatMap((word) => (word ? [wordsLaunch([word, ...more])] : [])));
};

/** The dynamic loader, started as a program: `/lib64/ld-linux-x86-64.so.2 /bin/rm a`. */
export const LOADER = /^ld(?:64|-linux[\w.-]*|-musl-[\w.-]*|\.elf_so)?\.so(?:\.\d+)*$|^ld-musl-[\w-]+\.so(?:\.\d+)*$/;

export const launchLoader: Launcher = (args, { source }) => {
  if (args.length === 0 || /^--(?:version|help|list|verify|list-\w+)$/.test(args[0]?.value ?? "")) return undefined;
  const [head] = args;
  return plainValue(head)?.startsWith("-") === false ? wordsLaunch(args) : unknownLaunch(source);
};

function wordsLaunch(inner: readonly ShellWord[]): Launch {
  const part: LaunchPart = { kind: "words", words: inner, within: "arguments" };
  return { parts: [part], isTransparent: false, unknown: [] };
}
