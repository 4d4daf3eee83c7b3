import { type ExecuteSubject, hasOnlySafeAssignments } from "../rules/command-spellings.ts";

/** Known options: each changes how files are written, but not which files, and starts no program. */
const KNOWN_OPTIONS: Readonly<Record<string, RegExp>> = {
  mkdir: /^(?:-[pvm]+|--parents|--verbose|--mode=[\w,+=-]+)$/,
  touch: /^(?:-[acmhdrt]+|--no-create|--no-dereference|--(?:date|time|reference)=\S+)$/,
  mv: /^(?:-[finuvtT]+|--force|--no-clobber|--update|--verbose|--no-target-directory|--target-directory=\S+)$/,
  cp: /^(?:-[afinpuvrRLPHdtT]+|--archive|--force|--no-clobber|--recursive|--update|--verbose|--preserve(?:=\w+)?|--no-target-directory|--target-directory=\S+)$/,
  sed: /^(?:-[nErsuz]*(?:i[\w.~]*|e)?|--quiet|--silent|--regexp-extended|--separate|--null-data|--in-place(?:=[\w.~]+)?|--expression)$/,
};
const IN_PLACE = /^(?:-[nErsuz]*i[\w.~]*|--in-place(?:=[\w.~]+)?)$/;
/** A quoted word that is not an option. */
const QUOTED = /'(?!-)[^']*'|"(?!-)(?:[^"\\]|\\.)*"/g;

/**
 * True if a command is one that mode acceptEdits covers in the sandbox: mkdir, touch, mv, cp and `sed -i`, without
 * wrappers, with known options only. The operands, which name the written files, are judged separately.
 */
export function isAcceptedCommand(subject: ExecuteSubject): boolean {
  const { command, alternatives = [], understood, unsaid } = subject;
  if (!understood || unsaid || alternatives.length > 0 || !hasOnlySafeAssignments(subject)) return false;
  const [program = "", ...words] = command.replace(QUOTED, "text").split(/\s+/);
  const known = Object.hasOwn(KNOWN_OPTIONS, program) ? KNOWN_OPTIONS[program] : undefined;
  if (!known) return false;
  const end = words.indexOf("--");
  const options = (end < 0 ? words : words.slice(0, end)).filter((word) => /^["'\\]?-./.test(word));
  return (
    options.every((word) => known.test(word)) && (program !== "sed" || options.some((word) => IN_PLACE.test(word)))
  );
}
