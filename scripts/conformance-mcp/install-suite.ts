import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = "@modelcontextprotocol/conformance";
const VERSION = "0.1.16";
export const SUITE = `${PACKAGE} ${VERSION}`;

/**
 * Installs the suite into node_modules/.cache, unless it is there. It is no dependency, because it takes 50 MB.
 * @returns the path of its program.
 * @throws {Error} npm failed.
 */
export async function installSuite(root: string, tell: (line: string) => void): Promise<string> {
  const folder = join(root, "node_modules", ".cache", `mcp-conformance-${VERSION}`);
  const program = join(folder, "node_modules", PACKAGE, "dist", "index.js");
  if (existsSync(program)) return program;
  tell(`Installing ${SUITE} into ${folder} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const install = Bun.spawn(
    ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", `${PACKAGE}@${VERSION}`],
    {
      cwd: folder,
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  const [words, code] = await Promise.all([new Response(install.stderr).text(), install.exited]);
  if (code !== 0) throw new Error(`npm could not install ${SUITE}: ${words.trim()}`);
  return program;
}
