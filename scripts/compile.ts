import { readFileSync } from "node:fs";
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

/**
 * Characters of our screens and of western text that are one column wide, alone and in sequence: Latin letters,
 * punctuation, arrows, box drawing, blocks, and some marks. Written for a class of a regular expression.
 */
export const NARROW_SIGNS =
  " -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713\\u2717\\u276f";

/** The last line of string-width: printable ASCII returns early, all other text goes through Unicode's tables. */
const WIDTH_OF_REST =
  "return nonAsciiOrControlRegex.test(string) ? unicodeWidth(string, ambiguousIsNarrow) : string.length;";

/**
 * Ink and its libraries bring five copies of an older string-width, and each compiles regular expressions over all of
 * Unicode at the first `─`: a third of the time to the first paint. All copies are replaced by our version, and known narrow
 * characters skip its tables.
 */
const withOneStringWidth: BunPlugin = {
  name: "with-one-string-width",
  setup(build) {
    const path = Bun.resolveSync("string-width", import.meta.dir);
    build.onResolve({ filter: /^string-width$/ }, () => ({ path }));
    build.onLoad({ filter: /[\\/]string-width[\\/]index\.js$/ }, () => {
      const source = readFileSync(path, "utf8");
      if (!source.includes(WIDTH_OF_REST)) throw new Error(`${path} has changed: update scripts/compile.ts`);
      const shortcut = `if (ambiguousIsNarrow && !/[^${NARROW_SIGNS}]/.test(string)) return string.length;`;
      return { contents: source.replace(WIDTH_OF_REST, `${shortcut}\n\t${WIDTH_OF_REST}`), loader: "js" };
    });
  },
};

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
    plugins: [withoutDevtools, withOneStringWidth],
  });
}

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
    minify: { whitespace: true, syntax: true },
    bytecode: true,
    define: DEFINE,
    plugins: [withoutDevtools, withOneStringWidth, ...plugins],
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}
