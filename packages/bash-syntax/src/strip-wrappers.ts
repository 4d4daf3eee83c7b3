import type { Assignment, ShellWord, SimpleCommand } from "./types.ts";

/** Flags that a wrapper may carry: `-x` alone, `-x=` with a value attached or following, `--long=` likewise. */
type Wrapper = {
  readonly flags: readonly string[];
  /** The number of the wrapper's own operands before the command: `timeout`'s duration. */
  readonly operands: readonly RegExp[];
  readonly takesAssignments: boolean;
};

const DURATION = /^[0-9]+(?:\.[0-9]+)?[smhd]?$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { flags: [], operands: [], takesAssignments: true },
  timeout: {
    flags: ["-k=", "--kill-after=", "-s=", "--signal=", "--preserve-status", "--foreground", "-v", "--verbose"],
    operands: [DURATION],
    takesAssignments: false,
  },
  time: { flags: ["-p"], operands: [], takesAssignments: false },
  nice: { flags: ["-n=", "--adjustment="], operands: [], takesAssignments: false },
  nohup: { flags: [], operands: [], takesAssignments: false },
  stdbuf: { flags: ["-i=", "-o=", "-e=", "--input=", "--output=", "--error="], operands: [], takesAssignments: false },
  command: { flags: [], operands: [], takesAssignments: false },
  builtin: { flags: [], operands: [], takesAssignments: false },
  noglob: { flags: [], operands: [], takesAssignments: false },
};
/** Values such as `-n 5`, `-k 3s`, `-o L`, which can't be commands. */
const FLAG_VALUE = /^-?[A-Za-z0-9.]+$/;
/** The maximum number of nested wrappers in an ordinary command. */
const MAX_WRAPPERS = 8;

/**
 * The command that runs inside `env A=1`, `timeout 60`, `time`, `nice`, `nohup`, `stdbuf`, `command`, `builtin`, `noglob`,
 * also nested. Assignments of `env` are added to the command's own.
 * @returns undefined if the command has no wrapper, or one whose flags are not exactly known.
 */
export function stripWrappers(command: SimpleCommand): SimpleCommand | undefined {
  let inner: SimpleCommand | undefined;
  for (let round = 0; round < MAX_WRAPPERS; round += 1) {
    const current = inner ?? command;
    if (!isWrapper(current.words[0]?.value)) return inner;
    inner = stripOne(current);
    if (inner === undefined) return undefined;
  }
  return undefined;
}

function isWrapper(name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(WRAPPERS, name);
}

function stripOne(command: SimpleCommand): SimpleCommand | undefined {
  const [head, ...args] = command.words;
  const wrapper = head?.value === undefined ? undefined : WRAPPERS[head.value];
  if (wrapper === undefined) return undefined;
  let rest = skipFlags(wrapper, args);
  for (const operand of wrapper.operands) {
    if (!rest || !operand.test(plainValue(rest[0]) ?? "")) return undefined;
    rest = rest.slice(1);
  }
  const assignments: Assignment[] = [...command.assignments];
  while (wrapper.takesAssignments && rest?.[0] && ASSIGNMENT.test(rest[0].source)) {
    const assignment = toAssignment(rest[0]);
    if (!assignment) return undefined;
    assignments.push(assignment);
    rest = rest.slice(1);
  }
  const name = plainValue(rest?.[0]);
  if (!rest || name === undefined || name === "" || name.startsWith("-") || name.includes("=")) return undefined;
  // `timeout 5 cd x` starts a program named cd; only a shell's own `cd` moves the shell.
  if (name === "cd") return undefined;
  return { ...command, assignments, words: rest, source: rest.map(({ source }) => source).join(" ") };
}

/** @returns the words after the flags, or undefined if a flag is unknown. */
function skipFlags(wrapper: Wrapper, args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  for (let at = 0; at < args.length; ) {
    const flag = plainValue(args[at]);
    if (flag === undefined) return undefined;
    if (flag === "--") return args.slice(at + 1);
    if (!flag.startsWith("-") || flag === "-") return args.slice(at);
    if (wrapper.flags.includes(flag)) at += 1;
    else if (wrapper.flags.includes(`${flag}=`)) {
      if (!FLAG_VALUE.test(plainValue(args[at + 1]) ?? "")) return undefined;
      at += 2;
    } else if (hasAttachedValue(wrapper, flag)) at += 1;
    else return undefined;
  }
  return undefined;
}

function hasAttachedValue(wrapper: Wrapper, flag: string): boolean {
  const equals = flag.indexOf("=");
  const isLong = flag.startsWith("--");
  if (isLong && equals < 0) return false;
  const name = isLong ? flag.slice(0, equals + 1) : `${flag.slice(0, 2)}=`;
  const value = isLong ? flag.slice(equals + 1) : flag.slice(2);
  return wrapper.flags.includes(name) && FLAG_VALUE.test(value);
}

/** The assignment in a word of `env`, whose name must be written plainly. */
function toAssignment(word: ShellWord): Assignment | undefined {
  const found = ASSIGNMENT.exec(word.source);
  const name = found?.[1];
  if (name === undefined) return undefined;
  const value = word.value?.slice(name.length + 1);
  return { name, source: word.source, value: { source: found?.[2] ?? "", value, isGlob: false } };
}

function plainValue(word: ShellWord | undefined): string | undefined {
  return word?.isGlob ? undefined : word?.value;
}
