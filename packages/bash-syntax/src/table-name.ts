/** Programs of which there are variants for other machines: `x86_64-linux-gnu-gcc`, `llvm-ar`. */
const CROSS =
  /^(?:llvm-|(?:[a-z0-9_]+-){2,4})(?=(?:gcc|g\+\+|cc|c\+\+|cpp|clang|clang\+\+|ld|ar|nm|objdump|ranlib|strip)(?:-|\.|$))/;
const VARIANT = /\.(?:tiny|small|basic|huge|nox|gtk3?|athena|bfd|gold|lld|mold)$/;
const VERSION = /-?\d+(?:\.\d+)*$/;

/** The name of the program itself for a variant or a version of it: `gcc-13`, `ld.gold`, `vim.tiny`. */
export function plainProgramName(name: string): string {
  return name.replace(CROSS, "").replace(VERSION, "").replace(VARIANT, "");
}
