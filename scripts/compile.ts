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

/**
 * Stands in for string-width: known narrow characters are counted at once, and the library is loaded for the first text with others.
 * Its tables and its regular expressions over all of Unicode take milliseconds.
 */
const NARROW_FIRST = `
import stripAnsi from "strip-ansi";
let whole;
export default function stringWidth(input, options = {}) {
  if (typeof input === "string" && options.ambiguousIsNarrow !== false) {
    const hasCodes = !options.countAnsiEscapeCodes && (input.includes("\\u001b") || input.includes("\\u009b"));
    const text = hasCodes ? stripAnsi(input) : input;
    if (!/[^${NARROW_SIGNS}]/.test(text)) return text.length;
  }
  whole ??= require("whole-string-width").default;
  return whole(input, options);
}`;

/**
 * Ink and its libraries bring five copies of an older string-width, and each compiles regular expressions over all of
 * Unicode at the first `─`: a third of the time to the first paint. All copies are replaced by our version, behind a shortcut.
 */
const withOneStringWidth: BunPlugin = {
  name: "with-one-string-width",
  setup(build) {
    const path = Bun.resolveSync("string-width", import.meta.dir);
    const namespace = "narrow-first";
    build.onResolve({ filter: /^string-width$/ }, () => ({ path: "string-width", namespace }));
    build.onResolve({ filter: /^whole-string-width$/ }, () => ({ path }));
    build.onResolve({ filter: /^strip-ansi$/, namespace }, () => ({ path: Bun.resolveSync("strip-ansi", path) }));
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents: NARROW_FIRST, loader: "js" }));
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
