import { ToolFailedError } from "../../contracts/errors.ts";
import type { Redactor } from "../../contracts/ports.ts";

/** What Write and Edit are handed to hide secrets and to put them back. */
export type RedactorDep = { readonly redactor?: (() => Promise<Redactor>) | undefined };

/**
 * A text of a call with each placeholder replaced by the value that stands in the file.
 * @param path Absolute and resolved.
 * @throws {InvalidInputError} a placeholder's value does not stand there.
 */
export async function withSecrets(text: string, path: string, redactor: Redactor | undefined): Promise<string> {
  if (!redactor || redactor.placeholdersIn(text).length === 0) return text;
  return redactor.restore(text, path);
}

/**
 * A part of a file's new text as the input of another call: with placeholders, which that call puts back.
 * @param fileText What the file holds now, from which they will be.
 * @throws {ToolFailedError} it holds a secret that the file doesn't hold: it could not be put back.
 */
export function withPlaceholders(text: string, fileText: string, redactor: Redactor | undefined): string {
  const shown = redactor?.redact(text) ?? text;
  if (!redactor || shown === text) return text;
  const known = new Set(redactor.placeholdersIn(redactor.redact(fileText)));
  if (redactor.placeholdersIn(shown).every((placeholder) => known.has(placeholder))) return shown;
  throw new ToolFailedError(
    "The change writes a credential that the file does not hold yet: it can only be taken whole.",
  );
}
