import type { CompletedCommand, CompletedOption } from "./completion-tree.ts";

/** For zsh with `compinit`. If no values are known, zsh completes file names. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `#compdef quoll
# zsh completion of quoll: source <(quoll completion zsh)
_quoll() {
  local at="" word i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$at $word" in
      ${paths.join("|")}) at="$at $word" ;;
    esac
  done
  case "$at|\${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${commands.map(wordCase).join("\n")}
  esac
  if ((\${#found})) && [[ "\${words[CURRENT]}" != [./~]* ]]; then _describe 'quoll' found; else _files; fi
}
if [[ "\${funcstack[1]}" == "_quoll" ]]; then _quoll "$@"; else compdef _quoll quoll; fi
`;
}

function valueCases({ path, options, following }: CompletedCommand): readonly string[] {
  const after = Object.entries(following).map(
    ([word, values]) => `    ${quoted(`${path}|${word}`)}) compadd -- ${values.map(quoted).join(" ")}; return ;;`,
  );
  const ofOptions = options.flatMap(({ names, values }) => {
    if (!values) return [];
    const patterns = names.map((name) => quoted(`${path}|${name}`)).join("|");
    const action = values.length === 0 ? "_files" : `compadd -- ${values.map(quoted).join(" ")}`;
    return [`    ${patterns}) ${action}; return ;;`];
  });
  return [...after, ...ofOptions];
}

function wordCase({ path, options, commands, values, source }: CompletedCommand): string {
  const printed = source === undefined ? [] : [`\${(f)"$(${source} 2>/dev/null)"}`];
  const named = commands.map(({ word, meaning }) => described(word, meaning));
  const others = [...named, ...values.map(quotedWord), ...printed];
  const list = (words: readonly string[]) => `found=(${words.join(" ")})`;
  const flags = options.flatMap(optionWords);
  return `    ${quoted(path)}) if [[ "\${words[CURRENT]}" == -* ]]; then ${list(flags)}; else ${list(others)}; fi ;;`;
}

function optionWords({ names, meaning }: CompletedOption): readonly string[] {
  return names.map((name) => described(name, meaning));
}

function described(word: string, meaning: string): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${meaning}`);
}

function quotedWord(word: string): string {
  return quoted(word.replaceAll(":", "\\:"));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
