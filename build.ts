/**
 * `npm run build`: dist/cli.js with its chunks (Bun, Node ≥ 22) and dist/quoll, a standalone executable for this platform
 * with rg and both wasm files inside. None of them takes `.env`, `bunfig.toml`, tsconfig or package.json of the folder
 * that it is started in.
 */
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { BunPlugin } from "bun";

const DIST = join(import.meta.dir, "dist");
const DEFINE = { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' };

/** Ink imports React's devtools statically; they are of no use here and 2 MB large. */
const withoutDevtools: BunPlugin = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: "devtools", namespace: "empty" }));
    build.onLoad({ filter: /.*/, namespace: "empty" }, () => ({
      contents: "export default { initialize() {}, connectToDevTools() {} };",
      loader: "js",
    }));
  },
};

const withRipgrep: BunPlugin = {
  name: "with-ripgrep",
  setup(build) {
    build.onLoad({ filter: /embedded-ripgrep\.ts$/ }, () => ({
      contents: `import path from ${JSON.stringify(rgPath)} with { type: "file" };\nexport const embeddedRipgrep = path;`,
      loader: "ts",
    }));
  },
};

rmSync(DIST, { recursive: true, force: true });
const startedAt = performance.now();

await Bun.build({
  entrypoints: ["src/main.ts"],
  outdir: DIST,
  target: "node",
  format: "esm",
  splitting: true,
  minify: { whitespace: true, syntax: true },
  naming: { entry: "cli.js", chunk: "chunk-[hash].js", asset: "[name]-[hash].[ext]" },
  banner: "#!/usr/bin/env node",
  external: ["@vscode/ripgrep"],
  define: DEFINE,
  plugins: [withoutDevtools],
});
chmodSync(join(DIST, "cli.js"), 0o755);

await Bun.build({
  entrypoints: ["src/main.ts"],
  target: "bun",
  format: "esm",
  splitting: true,
  minify: { whitespace: true, syntax: true },
  bytecode: true,
  define: DEFINE,
  plugins: [withoutDevtools, withRipgrep],
  compile: {
    outfile: join(DIST, "quoll"),
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
});
const suffixed = join(DIST, "quoll.exe");
if (existsSync(suffixed)) renameSync(suffixed, join(DIST, "quoll"));

console.log(`dist/cli.js and dist/quoll in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
