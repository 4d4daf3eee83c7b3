/** A key of a repository's configuration by which git starts a program or reads more configuration. */
export type GitProgram = {
  /** Section and name in lower case, the subsection as written: `filter.lfs.clean`. */
  readonly key: string;
  readonly value: string;
  /** Counting from 1. */
  readonly line: number;
};

/**
 * Source: git-config(1). Ordinary commands such as `git status`, `git diff` or `git fetch` run the programs named by
 * these keys.
 */
const PROGRAM_KEYS: readonly RegExp[] = [
  /^core\.(?:fsmonitor|sshcommand|hookspath|pager|editor|askpass|gitproxy|alternaterefscommand)$/,
  /^(?:sequence\.editor|diff\.external|web\.browser|init\.templatedir|interactive\.difffilter|uploadpack\.packobjectshook)$/,
  /^filter\..*\.(?:clean|smudge|process)$/,
  /^diff\..*\.(?:command|textconv)$/,
  /^merge\..*\.driver$/,
  /^(?:mergetool|difftool|guitool|browser|man)\..*\.(?:cmd|path)$/,
  /^(?:credential|credential\..*)\.helper$/,
  /^(?:gpg|gpg\..*)\.(?:program|defaultkeycommand)$/,
  /^pager\..*$/,
  /^alias\..*$/,
  /^remote\..*\.(?:uploadpack|receivepack|vcs)$/,
  /^submodule\..*\.update$/,
  /^trailer\..*\.(?:cmd|command)$/,
  /^tar\..*\.command$/,
  /^sendemail\..*cmd$/,
  /^protocol\.ext\.allow$/,
  /^(?:include|includeif\..*)\.path$/,
];
/** Keys whose value is a program only after an exclamation mark. */
const NEEDS_MARK = /^(?:alias|submodule)\./;
const SWITCH = /^(?:true|false|yes|no|on|off|0|1|)$/i;

/**
 * The programs that git would start because of a repository's configuration. For display only: a parsing error shows
 * too much or too little, but decides nothing.
 */
export function gitPrograms(config: string): readonly GitProgram[] {
  const found: GitProgram[] = [];
  let section = "";
  for (const [index, raw] of config.split("\n").entries()) {
    let line = raw.trim();
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header) {
      const [, name = "", sub, rest = ""] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      line = rest.trim();
    }
    const [, name, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    const key = `${section}.${name.toLowerCase()}`;
    if (startsProgram(key, value)) found.push({ key, value, line: index + 1 });
  }
  return found;
}

function startsProgram(key: string, value: string): boolean {
  if (!PROGRAM_KEYS.some((pattern) => pattern.test(key))) return false;
  if (NEEDS_MARK.test(key)) return value.replace(/^"/, "").startsWith("!");
  return !SWITCH.test(value);
}
