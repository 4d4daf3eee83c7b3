/** A model's name without vendor prefixes and suffixes: `us.anthropic.` or `anthropic/`, `-20250929`, `@20250929`, `-latest`, `-v1:0`. */
export function bareName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*anthropic[./]/, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[-@](\d{8}|latest)$/, "");
}
