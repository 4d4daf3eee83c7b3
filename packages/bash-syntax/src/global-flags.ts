import { matchFlags } from "./match-flags.ts";
import type { ShellWord } from "./types.ts";

/** Flags between a program's name and its subcommand that do not change how the command is judged. */
const GLOBALS: Readonly<Record<string, readonly string[]>> = {
  git: ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "-C=", "-c="],
  kubectl: ["-n=", "--namespace="],
  helm: ["-n=", "--namespace="],
  ip: "-4 -6 -br -brief -c -color -j -json -p -pretty -s -stats -d -details -o -oneline".split(" "),
  systemctl: ["--no-pager", "--user", "--system", "--no-legend", "--plain"],
};

/** Settings of git that change the look of its output, or turn a feature off. */
const HARMLESS_SETTING =
  /^(?:color\.[\w.]+=(?:always|never|auto|true|false)|core\.quotepath=(?:true|false|on|off)|core\.(?:pager|editor)=cat|core\.fsmonitor=false|core\.hookspath=\/dev\/null|log\.showsignature=false|log\.(?!showsignature)\w+=(?:true|false|short|iso|relative|auto|no)|advice\.\w+=(?:true|false)|diff\.(?:renames|noprefix|mnemonicprefix|colormoved|algorithm|context)=\w+|status\.\w+=(?:true|false|all|no|normal)|user\.(?:name|email)=[^\n]*|commit\.gpgsign=false|tag\.gpgsign=false|gc\.auto=0|init\.defaultbranch=[\w/.-]+|merge\.conflictstyle=\w+|core\.autocrlf=\w+|core\.(?:abbrev|ignorecase|filemode|longpaths)=\w+|pull\.(?:rebase|ff)=\w+|push\.default=\w+|rebase\.(?:autosquash|autostash)=\w+|protocol\.version=\d|credential\.helper=|sequence\.editor=(?:true|:|cat)|column\.ui=\w+)$/i;

/** True if `git -c <setting>` can't start a program. */
export function isHarmlessSetting(setting: string): boolean {
  return HARMLESS_SETTING.test(setting);
}

export type SplitGlobals = { readonly rest: readonly ShellWord[]; readonly folder: string | undefined };

/**
 * The words from a program's subcommand on, and the folder of `git -C`.
 * @returns undefined if a flag before the subcommand is unknown, or if a setting may start a program.
 */
export function splitGlobals(name: string, args: readonly ShellWord[]): SplitGlobals | undefined {
  const specs = Object.hasOwn(GLOBALS, name) ? GLOBALS[name] : undefined;
  if (specs === undefined) return { rest: args, folder: undefined };
  let at = 0;
  while (at < args.length && args[at]?.value?.startsWith("-") && isGlobal(specs, args[at]?.value ?? "")) {
    const flag = args[at]?.value ?? "";
    at += specs.includes(`${flag}=`) ? 2 : 1;
  }
  const globals = matchFlags(specs, args.slice(0, at), {});
  if (globals === undefined || globals.operands.length > 0) return undefined;
  const folders = name === "git" ? globals.valuesOf("-C") : [];
  if (folders.length > 1 || folders.some((folder) => folder === "" || folder.startsWith("-"))) return undefined;
  if (name === "git" && !globals.valuesOf("-c").every(isHarmlessSetting)) return undefined;
  return { rest: args.slice(at), folder: folders[0] };
}

function isGlobal(specs: readonly string[], flag: string): boolean {
  const name = flag.startsWith("--") ? flag.replace(/=.*$/s, "") : flag;
  const isAttached = !flag.startsWith("--") && specs.includes(`${flag.slice(0, 2)}=`);
  return specs.includes(name) || specs.includes(`${name}=`) || isAttached;
}
