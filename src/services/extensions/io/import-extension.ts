import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Runs the module of an extension. The executable and Bun read TypeScript; Node does so from version 22.18.
 * @param file Absolute.
 * @returns its exports. Rejects with the module's own error.
 */
export async function importExtension(file: string): Promise<Readonly<Record<string, unknown>>> {
  const address = pathToFileURL(file).href;
  return await import(address);
}

/**
 * Forgets the modules of a folder, so that they are read again. Node can't do this.
 * @param folder Absolute, symlinks resolved.
 */
export function forgetModules(folder: string): void {
  // Bun keeps all modules in this cache, not only those of `require`.
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (file.startsWith(`${folder}/`)) delete cache[file];
}
