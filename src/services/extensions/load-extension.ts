import { basename } from "node:path";
import type { Extension } from "@quoll/extension-api";
import { z } from "zod";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { EXTENSION_API_VERSION, type ExtensionCode, type ExtensionFile } from "../../contracts/extension.ts";
import type { Clock } from "../../contracts/ports.ts";
import { importExtension } from "./io/import-extension.ts";
import { type Contribution, type ExtensionFacts, Registrar } from "./registrar.ts";
import { withinTime } from "./within-time.ts";

/** The time limit for loading the module and running its `setup` together. */
const LOAD_MS = 5_000;
const PACKAGE = "@quoll/extension-api";

type Loading = { readonly clock: Clock; readonly code: ExtensionCode; readonly facts: ExtensionFacts };

/**
 * Runs the file of an extension and its `setup`.
 * @throws {Error} one phrase: why nothing of the extension takes effect.
 */
export async function loadExtension({ file }: ExtensionFile, { clock, code, facts }: Loading): Promise<Contribution> {
  const registrar = new Registrar(code);
  try {
    return await withinTime(
      async () => {
        const { setup } = checkedExtension(await imported(file));
        await setup(registrar.api(facts));
        return registrar.close();
      },
      { clock, code, ms: LOAD_MS },
    );
  } finally {
    registrar.close();
  }
}

async function imported(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importExtension(file);
  } catch (error) {
    if (errorCode(error) === "ERR_UNKNOWN_FILE_EXTENSION")
      throw new Error("this version of Node can't read TypeScript: use Node 22.18 or newer, or write it as .mjs", {
        cause: error,
      });
    const syntax = syntaxProblem(error, file);
    if (syntax !== undefined) throw new Error(syntax, { cause: error });
    const message = errorMessage(error);
    if (message.includes(PACKAGE))
      throw new Error(`${PACKAGE} has only types: write \`import type\``, { cause: error });
    throw error;
  }
}

/** Bun's errors of a build, each with its place. */
const buildError = z.object({
  message: z.string(),
  position: z.object({ file: z.string(), line: z.number(), column: z.number() }),
});
const buildErrors = z.object({ errors: z.tuple([buildError], z.unknown()) });

/** The first error in the text of the module, or of a file that it imports, with its place; undefined for other errors. */
function syntaxProblem(error: unknown, file: string): string | undefined {
  const several = buildErrors.safeParse(error);
  const one = several.success ? several : buildError.safeParse(error);
  if (one.success) {
    const { message, position } = "errors" in one.data ? one.data.errors[0] : one.data;
    return `${placeIn(position.file, file)}line ${position.line}, column ${position.column}: ${message}`;
  }
  if (!(error instanceof SyntaxError)) return undefined;
  // Node names the line of an error in TypeScript at the start of the stack, but not the line of an error in
  // JavaScript.
  const [, path = file, line] = /^(?:file:\/\/)?(\/.*):(\d+)\n/.exec(error.stack ?? "") ?? [];
  return `${placeIn(path, file)}${line === undefined ? "" : `line ${line}: `}${error.message}`;
}

/** The line for the person begins with the extension's own path. */
function placeIn(path: string, file: string): string {
  return path === file ? "" : `${basename(path)}, `;
}

/** @throws {Error} the module has no extension, or one for another version of the API. */
function checkedExtension(module: Readonly<Record<string, unknown>>): Extension {
  const { extension } = module;
  if (!isObject(extension)) {
    const isDefault = module["default"] !== undefined;
    throw new Error(`it has no export named \`extension\`${isDefault ? ": write `export const extension`" : ""}`);
  }
  const { apiVersion, setup } = extension;
  if (apiVersion === undefined) throw new Error(`its extension needs \`apiVersion: ${EXTENSION_API_VERSION}\``);
  if (apiVersion !== EXTENSION_API_VERSION)
    throw new Error(
      `it is written for version ${String(apiVersion)} of the API, and this Quoll has version ${EXTENSION_API_VERSION}`,
    );
  if (typeof setup !== "function") throw new Error("its extension needs a function `setup`");
  return { apiVersion, setup: (api) => setup.call(extension, api) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
