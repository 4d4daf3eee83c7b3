import { ToolFailedError } from "../../contracts/errors.ts";
import type { Redactor } from "../../contracts/ports.ts";

/** The redactor, with which Write and Edit hide and restore secrets. */
export type RedactorDep = {
  readonly redactor?: (() => Promise<Redactor>) | undefined;
  /** True if a file (absolute, symlinks resolved) must hold no credentials. */
  readonly refusesSecrets?: ((path: string) => boolean) | undefined;
};

/** @throws {ToolFailedError} the text holds a credential, and the file must hold none. */
export function refuseSecrets(
  text: string,
  path: string,
  { redactor, refusesSecrets }: { readonly redactor: Redactor | undefined } & Pick<RedactorDep, "refusesSecrets">,
): void {
  if (!redactor || refusesSecrets?.(path) !== true || redactor.redact(text) === text) return;
  throw new ToolFailedError("The note holds a credential. Nothing was written: leave the credential out.");
}

/**
 * A call's text with each placeholder replaced by its value from the file.
 * @param path Absolute and resolved.
 * @throws {InvalidInputError} the file does not contain a placeholder's value.
 */
export async function withSecrets(text: string, path: string, redactor: Redactor | undefined): Promise<string> {
  if (!redactor || redactor.placeholdersIn(text).length === 0) return text;
  return redactor.restore(text, path);
}

/**
 * A part of a file's new text as input of another call: with placeholders, which that call restores.
 * @param fileText The file's current content, the source of the values.
 * @throws {ToolFailedError} the text contains a secret that the file does not: it could not be restored.
 */
export function withPlaceholders(text: string, fileText: string, redactor: Redactor | undefined): string {
  const shown = redactor?.redact(text) ?? text;
  if (!redactor || shown === text) return text;
  const known = new Set(redactor.placeholdersIn(redactor.redact(fileText)));
  if (redactor.placeholdersIn(shown).every((placeholder) => known.has(placeholder))) return shown;
  throw new ToolFailedError(
    "The change writes a credential that the file does not contain yet: it can only be accepted as a whole.",
  );
}
