/** `@Override`, `@app.route` and `@example.com` are no files, so only these endings make a word a file's name. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|css|s[ac]ss|less|html?|xml|svg|jsonc?|ya?ml|toml|ini|cfg|conf|env|lock|md|mdx|rst|txt|log|csv|tsv|sql|sh|bash|zsh|fish|ps1|py|ipynb|rb|php|pl|lua|go|rs|java|kts?|scala|swift|dart|exs?|erl|hs|clj|c|cc|cpp|h|hpp|cs|fs|vb|r|jl|zig|nix|tf|proto|graphql|diff|patch|pdf|docx?|xlsx?|pptx?|od[tsp]|epub|png|jpe?g|gif|webp)$/i;
/** `@server:resource` names a resource of an MCP server. */
const RESOURCE = /^[\w-]+:/;
const MAX_SHOWN = 3;

/**
 * True for a word after `@` that is meant as a file although there is none: it ends like a file, begins like a path, or its folder exists.
 * Packages such as `@types/node` have neither.
 * @param hasFolder True if the folder of the path exists.
 */
export function looksLikeFile(path: string, hasFolder: boolean): boolean {
  if (RESOURCE.test(path)) return false;
  return FILE_ENDING.test(path) || /^\.\.?\/./.test(path) || (hasFolder && /[^/.]\/./.test(path));
}

/** One line about words of a prompt that name no file; undefined without any. @param names The words without `@`. */
export function missingLine(names: readonly string[]): string | undefined {
  const [first, ...others] = names.map((name) => `\`@${name}\``);
  if (first === undefined) return undefined;
  if (others.length === 0) return `${first} names no file, so nothing was attached for it.`;
  const shown = [first, ...others].slice(0, MAX_SHOWN);
  const rest = names.length - shown.length;
  const [last = ""] = shown.slice(-1);
  const list = rest > 0 ? `${shown.join(", ")} and ${rest} more` : `${shown.slice(0, -1).join(", ")} and ${last}`;
  return `${list} name no file, so nothing was attached for them.`;
}
