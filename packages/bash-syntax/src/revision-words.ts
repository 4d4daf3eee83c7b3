import type { ShellWord } from "./types.ts";

const NAME = "[\\w@][\\w@^~./{}-]*";
/** `HEAD~3`, `@{u}`: names that no file has. */
const HEAD_NAME = "(?:HEAD|@)[\\w@^~{}-]*";
/** git commands that print the name of one commit or nothing, so their output is neither an option nor a path. */
const PRINTS_COMMIT = [
  `rev-parse(?: -q| --quiet)* ${HEAD_NAME}`,
  `rev-parse(?: -q| --quiet| --verify| --short(?:=\\d+)?)*(?: --verify| --short(?:=\\d+)?)(?: -q| --quiet)* ${NAME}`,
  `merge-base ${NAME} ${NAME}`,
  `rev-list (?:-1|-n ?1|--max-count=1) ${NAME}`,
  "log -1 --(?:format|pretty)=['\\\\\"]?(?:format:)?%[Hh]['\\\\\"]?",
].join("|");
const REVISION = new RegExp(
  `^("?)(?:${NAME}\\.{2,3})?\\$\\(git (?:${PRINTS_COMMIT})\\)((?:\\.{2,3}${NAME}|[\\w.^~@]*))\\1$`,
);

/**
 * A word that is surely a git revision, although its commit is known only at run time: `$(git rev-parse HEAD)..main`.
 */
export function isRevisionWord({ value, source }: ShellWord): boolean {
  return value === undefined && REVISION.test(source);
}
