import { replaceBraces } from "./launch-find.ts";
import { type Launch, type Launcher, plainValue, scriptLaunch, sourceOf, unknownLaunch } from "./launch-parts.ts";
import { matchLeading } from "./match-flags.ts";
import type { ShellWord } from "./types.ts";

/** A placeholder for arguments that are only known at run time: none, one or many words. */
export const LATER_WORDS: ShellWord = { source: '"$@"', value: undefined, isGlob: false };

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const XARGS_FLAGS =
  words(`-0 -r -t -x --null --no-run-if-empty --verbose --exit -a= --arg-file= -d= --delimiter= -E= -e? --eof? -I= -i?
  --replace? -J= -L= -l? --max-lines? -n= --max-args= -P= --max-procs= -s= --max-chars= -R= -S= --process-slot-var=`);
const XARGS_OPAQUE = ["-a", "--arg-file", "--process-slot-var"];

/** `xargs command`: xargs appends words from its input, or replaces the placeholder of `-I` with them. */
export const launchXargs: Launcher = (args, { source }) => {
  const leading = matchLeading(XARGS_FLAGS, args);
  if (leading === undefined || unknownHead(leading.rest)) return unknownLaunch(source);
  const { flags, rest } = leading;
  const given: readonly ShellWord[] = rest.length > 0 ? rest : [{ source: "echo", value: "echo", isGlob: false }];
  const places = ["-I", "-i", "--replace", "-J"].filter((flag) => flags.has(flag));
  const texts = places.flatMap((flag) => leading.valuesOf(flag));
  const placeholder = texts.at(-1) ?? "{}";
  if (texts.length > 1 || placeholder === "") return unknownLaunch(source);
  const inner = places.length > 0 ? given.map(replaceBraces(placeholder)) : [...given, LATER_WORDS];
  const isTransparent = !XARGS_OPAQUE.some((flag) => flags.has(flag));
  return { parts: [{ kind: "words", words: inner, within: "arguments" }], isTransparent, unknown: [] };
};

function unknownHead(rest: readonly ShellWord[]): boolean {
  return rest.length > 0 && !/^[^-]/.test(plainValue(rest[0]) ?? "");
}

const PARALLEL_FLAGS =
  words(`-j= -P= -k -n= -N= -L= -q -r -t -u -v -X -m -0 -a= -I= --jobs= --max-procs= --keep-order --dry-run --halt= --null
  --no-run-if-empty --verbose --group --ungroup --line-buffer --lb --tag --bar --progress --eta --delay= --timeout= --retries= --colsep= -C= --will-cite
  --max-args= --arg-file= --no-notice --memfree= --load= --nice=`);
const PARALLEL_INPUT = /^:::/;

/** GNU parallel: a template for a shell, whose placeholders are filled with quoted words. */
export const launchParallel: Launcher = (args, { source }) => {
  const leading = matchLeading(PARALLEL_FLAGS, args);
  if (leading === undefined) return unknownLaunch(source);
  const end = leading.rest.findIndex(({ value }) => PARALLEL_INPUT.test(value ?? ""));
  const template = end < 0 ? leading.rest : leading.rest.slice(0, end);
  const text = template.map(plainValue);
  // Without a template, the input contains the commands; `{= =}` is a program in Perl.
  if (template.length === 0 || text.some((part) => part === undefined || part.includes("{=")))
    return unknownLaunch(source);
  const [placeholder] = leading.valuesOf("-I");
  if (placeholder !== undefined || /^\S*\{/.test(text[0] ?? "")) return unknownLaunch(source);
  // `"$@"` represents the unknown words, as in the shell.
  const script = text.join(" ").replace(/\{[^{}\s]*\}/g, '"$@"');
  const hasPlace = /\{[^{}\s]*\}/.test(text.join(" "));
  return {
    parts: [{ kind: "script", text: hasPlace ? script : `${script} "$@"`, dialect: "posix", within: "arguments" }],
    isTransparent: false,
    unknown: [],
  };
};

const SSH_FLAGS =
  words(`-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= -I= -i= -J= -L= -l= -m= -O= -o= -p=
  -Q= -R= -W= -w=`);
/** Options that start a program on this machine, or name files that may. */
const SSH_STARTS = /command|include|proxy|match|localforward|pkcs11|securitykey/i;

/** `ssh host words`: a shell on the host joins and reads the words. */
export const launchSsh: Launcher = (args, { source }) => {
  const leading = matchLeading(SSH_FLAGS, args);
  if (leading === undefined) return unknownLaunch(source);
  if (leading.flags.has("-V") || leading.flags.has("-Q") || leading.flags.has("-G")) return undefined;
  if (leading.valuesOf("-o").some((option) => SSH_STARTS.test(option))) return unknownLaunch(source);
  const [host, ...after] = leading.rest;
  if (!/^[^-]/.test(plainValue(host) ?? "")) return unknownLaunch(source);
  // Flags may also follow the host.
  const more = matchLeading(SSH_FLAGS, after);
  if (more === undefined || more.valuesOf("-o").some((option) => SSH_STARTS.test(option))) return unknownLaunch(source);
  const isIdle = leading.flags.has("-N") || more.flags.has("-N") || leading.flags.has("-O");
  if (more.rest.length === 0) return isIdle ? undefined : unknownLaunch(source);
  return scriptLaunch(more.rest, { within: "remote" });
};

const SU_FLAGS = words(
  "-l -m -p -P -f --login --preserve-environment --pty -c= --command= -g= --group= -G= -u= --user=",
);

/** `su [-] user -c 'script'`; `runuser -u user words`. */
export const launchSu: Launcher = (args, { source }) => {
  const unknown = unknownLaunch(source);
  let rest = args;
  const scripts: string[] = [];
  let isWords = false;
  for (let round = 0; round < 4 && rest.length > 0; round += 1) {
    const leading = matchLeading(SU_FLAGS, rest);
    if (leading === undefined) return unknown;
    scripts.push(...leading.valuesOf("-c"), ...leading.valuesOf("--command"));
    isWords ||= leading.flags.has("-u") || leading.flags.has("--user");
    rest = leading.rest;
    if (isWords || plainValue(rest[0]) === undefined) break;
    // `-`, the user's name, then more flags.
    rest = rest.slice(1);
  }
  const [text] = scripts;
  if (scripts.length > 1 || (rest.length > 0 && !isWords)) return unknown;
  if (text !== undefined) {
    const part = { kind: "script", text, dialect: "posix", within: "elevated" } as const;
    return { parts: [part], isTransparent: false, unknown: [] };
  }
  if (!isWords || rest.length === 0 || unknownHead(rest)) return unknown;
  return { parts: [{ kind: "words", words: rest, within: "elevated" }], isTransparent: false, unknown: [] };
};

const FLOCK_FLAGS = words(
  "-s -x -e -n -o -u -F -v --shared --exclusive --nonblock --close --unlock --no-fork --verbose -w= --timeout= -E= --conflict-exit-code=",
);

/** `flock file words`, `flock file -c script`; a bare number is a descriptor, with which flock starts nothing. */
export const launchFlock: Launcher = (args, { source }) => {
  const leading = matchLeading(FLOCK_FLAGS, args);
  if (leading === undefined) return unknownLaunch(source);
  const [file, ...rest] = leading.rest;
  if (plainValue(file) === undefined) return unknownLaunch(source);
  if (rest.length === 0) return /^\d+$/.test(file?.value ?? "") ? undefined : unknownLaunch(source);
  const isScript = /^(?:-c|--command)$/.test(plainValue(rest[0]) ?? "");
  if (isScript) return rest.length === 2 ? scriptLaunch(rest.slice(1), { within: "script" }) : unknownLaunch(source);
  if (unknownHead(rest)) return unknownLaunch(source);
  return { parts: [{ kind: "words", words: rest, within: "arguments" }], isTransparent: false, unknown: [] };
};

/** `kubectl exec pod -- words`, `kubectl run`, `kubectl debug`. */
export const launchKubectl: Launcher = (args, { source }): Launch | undefined => {
  const isStarter = args.some(({ value }) => value === "exec" || value === "run" || value === "debug");
  if (!isStarter)
    return args.some(({ value }) => value === undefined) && !plainValue(args[0])
      ? unknownLaunch(sourceOf(args))
      : undefined;
  const dashes = args.findIndex(({ value }) => value === "--");
  const isExec = args.some(({ value }) => value === "exec");
  if (dashes < 0) return isExec ? unknownLaunch(source) : undefined;
  const inner = args.slice(dashes + 1);
  if (inner.length === 0) return unknownLaunch(source);
  return { parts: [{ kind: "words", words: inner, within: "container" }], isTransparent: false, unknown: [] };
};
