/** Fields of tools' inputs that say what a call is about, the most telling first. */
const TELLING_FIELDS = ["file_path", "path", "command", "pattern", "url", "query", "task_id", "description"] as const;

/**
 * A call in a few words, from its raw input: for one that never became a call, or of which nothing else is kept.
 * @param cwd Paths below it are told relative to it.
 * @returns "" where the input tells nothing.
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
