const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
};

/** The language of a file by its name, as highlighters call it; for most files that is the extension. */
export function languageOf(path: string): string {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  return BY_NAME[name] ?? /\.([^.]+)$/.exec(name)?.[1] ?? "";
}
