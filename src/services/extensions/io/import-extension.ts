import { pathToFileURL } from "node:url";

/**
 * Runs the module of an extension. The executable and Bun read TypeScript; Node does so from version 22.18.
 * @param file Absolute. @returns its exports. Rejects with the module's own error.
 */
export async function importExtension(file: string): Promise<Readonly<Record<string, unknown>>> {
  const address = pathToFileURL(file).href;
  return await import(address);
}
