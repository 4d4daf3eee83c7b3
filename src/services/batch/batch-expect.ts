import { UserFacingError } from "../../contracts/errors.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { type BatchInput, fillTemplate, PLACEHOLDER } from "./batch-inputs.ts";
import type { BatchSpec } from "./batch-state.ts";

export type ExpectTemplate = NonNullable<BatchSpec["expect"]>;

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gs;
/** Constructs in which a quoted value could be parsed as code. */
const NESTED = /\$[({]|`|<</;

/**
 * The contract of one input's agent. Values are quoted in the command.
 * @throws {UserFacingError} an input lacks a field that a template names.
 */
export function fillExpect(
  { files, command, schema }: ExpectTemplate,
  input: BatchInput,
  known: ReadonlySet<string>,
): ExpectTemplate {
  return {
    ...(files && { files: files.map((file) => fillTemplate(file, input, known)) }),
    ...(command !== undefined && { command: fillTemplate(command, input, known, shellQuoted) }),
    ...(schema && { schema }),
  };
}

/** @throws {UserFacingError} a value can't be put into the command so that the shell reads it as one word. */
export function assertFillable({ command = "" }: ExpectTemplate, known: ReadonlySet<string>): void {
  const isFilled = (text: string) => [...text.matchAll(PLACEHOLDER)].some(([, name = ""]) => known.has(name));
  if (!isFilled(command)) return;
  const quoted = command.match(QUOTED) ?? [];
  if (!quoted.some(isFilled) && !NESTED.test(command) && !/['"]/.test(command.replace(QUOTED, ""))) return;
  throw new UserFacingError(
    "In --expect-command, a namein braces must be outside of quotes, which Quoll adds, and not beside $( ), a brace after $, backquotes or <<: put such a command into a script.",
  );
}
