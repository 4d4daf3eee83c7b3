/** Input fields that describe a call, the most descriptive first. */
const TELLING_FIELDS = [
  "file_path",
  "notebook_path",
  "path",
  "command",
  "pattern",
  "url",
  "query",
  "task_id",
  "description",
] as const;

/**
 * Describes a call in a few words from its raw input, for a call whose input was never parsed or of which only the
 * input is kept.
 * @param cwd Paths below this folder are shown relative to it.
 * @returns "" if the input describes nothing.
 */
export function titleFromInput(input: Readonly<Record<string, unknown>>, cwd?: string): string {
  for (const key of TELLING_FIELDS) {
    const value = input[key];
    if (typeof value !== "string" || value === "") continue;
    if (key === "pattern") return JSON.stringify(value);
    return cwd !== undefined && value.startsWith(`${cwd}/`) ? value.slice(cwd.length + 1) : value;
  }
  return "";
}
