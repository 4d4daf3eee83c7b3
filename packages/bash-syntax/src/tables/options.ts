import type { OptionTable } from "../option-table.ts";
import { BUILD_OPTIONS } from "./options-build.ts";
import { DATA_OPTIONS } from "./options-data.ts";
import { FILE_OPTIONS } from "./options-files.ts";
import { GIT_OPTIONS } from "./options-git.ts";
import { JVM_OPTIONS } from "./options-jvm.ts";
import { PACKAGE_OPTIONS } from "./options-packages.ts";
import { PROGRAM_OPTIONS } from "./options-programs.ts";
import { SERVICE_OPTIONS } from "./options-services.ts";
import { TRANSFER_OPTIONS } from "./options-transfer.ts";

/** Second names and makes of programs: GNU's beside BSD's, and Debian's. */
const OTHER_NAMES: readonly (readonly [name: string, table: string])[] = [
  ["gtar", "tar"],
  ["gmake", "make"],
  ["bmake", "make"],
  ["samu", "ninja"],
  ["gojq", "jq"],
  ["jaq", "jq"],
  ["fdfind", "fd"],
];

const TABLES: readonly OptionTable[] = [
  GIT_OPTIONS,
  ...TRANSFER_OPTIONS,
  ...BUILD_OPTIONS,
  ...PACKAGE_OPTIONS,
  ...SERVICE_OPTIONS,
  ...FILE_OPTIONS,
  ...JVM_OPTIONS,
  ...DATA_OPTIONS,
  ...PROGRAM_OPTIONS,
];

/** Every program whose options are known, once: of two tables of a program, the second one would replace the first. */
export const OPTION_TABLES: readonly OptionTable[] = [
  ...TABLES,
  ...OTHER_NAMES.flatMap(([name, of]) =>
    TABLES.filter((table) => table.name === of).map((table) => ({ ...table, name })),
  ),
];
