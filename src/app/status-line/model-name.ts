const VERSION = /^\d{1,2}$/;
const DATE = /-\d{8}$/;

/** `Sonnet 4.5` for `claude-sonnet-4-5-20250929`; other models keep their id, without the provider before it. */
export function modelName(model: string): string {
  const id = model.replace(/^.*\//, "").replace(DATE, "");
  const parts = id.replace(/^claude-/, "").split("-");
  if (!id.startsWith("claude-")) return id;
  const words = parts.filter((part) => !VERSION.test(part)).map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  const version = parts.filter((part) => VERSION.test(part)).join(".");
  return [...words, ...(version === "" ? [] : [version])].join(" ");
}
