import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NARROW_SIGNS } from "@quoll/terminal-text/narrow-signs";
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
 * Stands in for string-width: known narrow characters are counted at once, and the library is loaded for the first text with others.
 * Its tables and its regular expressions over all of Unicode take milliseconds.
 */
const narrowFirst = (whole: string) => `
import stripAnsi from ${JSON.stringify(Bun.resolveSync("strip-ansi", whole))};
let counted;
export default function stringWidth(input, options = {}) {
  if (typeof input === "string" && options.ambiguousIsNarrow !== false) {
    const hasCodes = !options.countAnsiEscapeCodes && (input.includes("\\u001b") || input.includes("\\u009b"));
    const text = hasCodes ? stripAnsi(input) : input;
    if (!/[^${NARROW_SIGNS}]/.test(text)) return text.length;
  }
  counted ??= require(${JSON.stringify(whole)}).default;
  return counted(input, options);
}`;

/**
 * string-width compiles regular expressions over all of Unicode at the first `─`: a third of the time to the first paint.
 * Ink, its libraries and Quoll therefore get the shortcut for narrow characters before it.
 */
const withNarrowFirst: BunPlugin = {
  name: "with-narrow-first",
  setup(build) {
    const path = Bun.resolveSync("string-width", import.meta.dir);
    const namespace = "narrow-first";
    build.onResolve({ filter: /^string-width$/ }, () => ({ path: "string-width", namespace }));
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents: narrowFirst(path), loader: "js" }));
  },
};

const LINE_UPDATE = "export default function lineUpdate(";

/** Ink writes a changed line from its first changed character to its end. Where that is enough, only the changed characters are written. */
const withShortUpdates: BunPlugin = {
  name: "with-short-updates",
  setup(build) {
    const ours = JSON.stringify(join(import.meta.dir, "../src/faces/repl/terminal/changed-part.ts"));
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]line-update\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (!source.includes(LINE_UPDATE)) throw new Error(`${path} has changed: update scripts/compile.ts`);
      const update = "export default (...lines) => changedPart(...lines) ?? lineUpdate(...lines);";
      const contents = `import { changedPart } from ${ours};\n${source.replace(LINE_UPDATE, "function lineUpdate(")}\n${update}`;
      return { contents, loader: "js" };
    });
  },
};

const PREVIOUS_ROWS = "const previousVisible =";
const RETURN_PREFIX = "buffer.push(returnPrefix);";
const INSERT_ROWS = `${RETURN_PREFIX}
  const inserted = areColumnsUnchanged ? insertedRows(previousLines, nextLines) : undefined;
  if (inserted) {
    buffer.push(inserted.sequence);
    previousLines = inserted.lines;
    previousVisible = visibleCount;
  }`;

/** When a frame gets longer, Ink writes all of its lines below the new one again. They are moved down instead. */
const withInsertedRows: BunPlugin = {
  name: "with-inserted-rows",
  setup(build) {
    const ours = JSON.stringify(join(import.meta.dir, "../src/faces/repl/terminal/inserted-rows.ts"));
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]log-update\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const isKnown = [PREVIOUS_ROWS, RETURN_PREFIX].every((code) => source.split(code).length === 2);
      if (!isKnown) throw new Error(`${path} has changed: update scripts/compile.ts`);
      const inserting = source.replace(PREVIOUS_ROWS, "let previousVisible =").replace(RETURN_PREFIX, INSERT_ROWS);
      return { contents: `import { insertedRows } from ${ours};\n${inserting}`, loader: "js" };
    });
  },
};

const PLUGINS = [withoutDevtools, withNarrowFirst, withShortUpdates, withInsertedRows];

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
    plugins: PLUGINS,
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
    plugins: [...PLUGINS, ...plugins],
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}
