import { namesIn } from "./files/list-folder.ts";
import { findProgram } from "./processes/find-program.ts";

type Asking = { readonly file: RegExp; readonly programs: readonly string[] };

/** Files that ask for runtimes and package managers, with the programs that may serve them. */
const ASKING: readonly Asking[] = [
  { file: /^(?:package\.json|\.nvmrc|tsconfig\.json)$/, programs: ["node", "npm", "pnpm", "yarn", "bun"] },
  { file: /^pnpm-(?:lock|workspace)\.yaml$/, programs: ["pnpm"] },
  { file: /^yarn\.lock$/, programs: ["yarn"] },
  { file: /^bun\.lockb?$/, programs: ["bun"] },
  { file: /^deno\.jsonc?$/, programs: ["deno"] },
  {
    file: /^(?:pyproject\.toml|requirements.*\.txt|setup\.(?:py|cfg)|Pipfile|tox\.ini)$/,
    programs: ["python3", "python", "pip", "uv", "poetry", "pipenv"],
  },
  { file: /^uv\.lock$/, programs: ["uv"] },
  { file: /^poetry\.lock$/, programs: ["poetry"] },
  { file: /^environment\.ya?ml$/, programs: ["conda", "mamba"] },
  { file: /^Cargo\.toml$/, programs: ["cargo", "rustc"] },
  { file: /^go\.(?:mod|work)$/, programs: ["go"] },
  { file: /^(?:Gemfile|.*\.gemspec)$/, programs: ["ruby", "bundle", "gem"] },
  { file: /^composer\.json$/, programs: ["php", "composer"] },
  { file: /^pom\.xml$/, programs: ["java", "mvn"] },
  { file: /^(?:build|settings)\.gradle(?:\.kts)?$/, programs: ["java", "gradle"] },
  { file: /^mix\.exs$/, programs: ["elixir", "mix"] },
  { file: /^Package\.swift$/, programs: ["swift"] },
  { file: /^.*\.(?:csproj|fsproj|sln|slnx)$/, programs: ["dotnet"] },
  { file: /^CMakeLists\.txt$/, programs: ["cmake", "make", "ninja"] },
  { file: /^(?:GNUm|m|M)akefile$/, programs: ["make"] },
  { file: /^[jJ]ustfile$/, programs: ["just"] },
  { file: /^(?:Dockerfile|(?:docker-)?compose\.ya?ml)$/, programs: ["docker", "podman"] },
];

/**
 * The runtimes and package managers that files in these folders ask for and that are in the search path, in a fixed
 * order. Nothing is run.
 * @param path The search path, as in `PATH`.
 */
export function projectPrograms(folders: readonly string[], path: string): readonly string[] {
  const names = [...new Set(folders)].flatMap((folder) => namesIn(folder) ?? []);
  const asked = ASKING.filter(({ file }) => names.some((name) => file.test(name)));
  const programs = new Set(asked.flatMap((one) => one.programs));
  return [...programs].filter((program) => findProgram(program, path) !== undefined);
}
