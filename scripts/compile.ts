import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { BuildOutput, BunPlugin } from "bun";

/** Production React, and no devtools in Ink. */
const DEFINE = { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' };

/** Ink imports React's devtools statically. The devtools are useless here and 2 MB large. */
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

const OWN_TEXTS = /^(?!.*[\\/]node_modules[\\/]).*[\\/]src[\\/].*\.md$/;

/** Puts the program's texts into their chunks: each file in the executable would take the start a tenth of a millisecond to read. */
const withOwnTexts: BunPlugin = {
  name: "with-own-texts",
  setup(build) {
    build.onLoad({ filter: OWN_TEXTS }, ({ path }) => ({
      contents: `export default ${JSON.stringify(readFileSync(path, "utf8"))};`,
      loader: "js",
    }));
  },
};

/** Puts the program rg into an executable. */
export const withRipgrep: BunPlugin = {
  name: "with-ripgrep",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]platform[\\/]embedded-ripgrep\.ts$/ }, () => ({
      contents: `import path from ${JSON.stringify(rgPath)} with { type: "file" };\nexport const embeddedRipgrep = path;`,
      loader: "ts",
    }));
  },
};

/** The plugins of every build. None changes a library: tests/house/whole-libraries.test.ts. */
export const PLUGINS: readonly BunPlugin[] = [withOwnTexts, withoutDevtools];

/**
 * Builds cli.js and its chunks, for Bun and Node. The metafile in the result maps modules to chunks.
 * @throws {AggregateError} the build failed.
 */
export function bundle(entry: string, outdir: string): Promise<BuildOutput> {
  return Bun.build({
    entrypoints: [entry],
    outdir,
    target: "node",
    format: "esm",
    splitting: true,
    metafile: true,
    minify: { whitespace: true, syntax: true },
    naming: { entry: "cli.js", chunk: "chunk-[hash].js", asset: "[name]-[hash].[ext]" },
    banner: "#!/usr/bin/env node",
    external: ["@vscode/ripgrep"],
    define: DEFINE,
    plugins: [...PLUGINS],
  });
}

/**
 * The factor of the runtime's thresholds above which it compiles code for the processor. Most code of a session runs a few times: compiling it
 * took a quarter of the CPU of an answer. Long work reaches the higher thresholds soon (docs/performance.md, "The layout of the executable"), so
 * Quoll never goes back to the default.
 */
const JIT_POLICY = 30;

/**
 * Builds a standalone executable for this platform that ignores `.env`, `bunfig.toml`, tsconfig and package.json in its
 * starting folder.
 * @throws {AggregateError} the build failed.
 */
export async function compile(entry: string, outfile: string, plugins: readonly BunPlugin[] = []): Promise<void> {
  await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    splitting: true,
    // Short names make less to load. The map gives the traces of errors our files and lines; it is read at the first error.
    minify: true,
    sourcemap: "linked",
    bytecode: true,
    define: DEFINE,
    plugins: [...PLUGINS, ...plugins],
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      jitPolicy: JIT_POLICY,
    },
  });
  // The executable holds the maps; the files beside it are not needed.
  const folder = dirname(outfile);
  for (const name of readdirSync(folder)) if (name.endsWith(".js.map")) rmSync(join(folder, name));
  rmSync(`${outfile}.map`, { force: true });
}
