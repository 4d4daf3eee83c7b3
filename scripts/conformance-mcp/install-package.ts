import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The published client suite. */
export const SUITE = { name: "@modelcontextprotocol/conformance", version: "0.1.16" };
/** The reference server that uses the whole protocol. */
export const EVERYTHING = { name: "@modelcontextprotocol/server-everything", version: "2026.8.31" };

type Package = { readonly name: string; readonly version: string };

/**
 * Installs a package into node_modules/.cache, unless it is there. It is no dependency, because nothing else needs it and
 * it may be large. @returns the path of its program. @throws {Error} npm failed.
 */
export async function installPackage(
  { name, version }: Package,
  root: string,
  tell: (line: string) => void,
): Promise<string> {
  const folder = join(root, "node_modules", ".cache", `${basename(name)}-${version}`);
  const program = join(folder, "node_modules", name, "dist", "index.js");
  if (existsSync(program)) return program;
  tell(`Installing ${name} ${version} into ${folder} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const install = Bun.spawn(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
  });
  const [words, code] = await Promise.all([new Response(install.stderr).text(), install.exited]);
  if (code !== 0) throw new Error(`npm could not install ${name}: ${words.trim()}`);
  return program;
}
