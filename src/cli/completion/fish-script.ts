import type { CompletedCommand, CompletedOption } from "./completion-tree.ts";

export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# fish completion of quoll: quoll completion fish | source
function __quoll_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case ${paths.join(" ")}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
${commands.flatMap(lines).join("\n")}
`;
}

function lines({ path, commands, options, values, source, following }: CompletedCommand): readonly string[] {
  const start = `complete -c quoll -n ${quoted(`__quoll_at ${quoted(path)}`)}`;
  const named = `complete -c quoll -n ${quoted(`__quoll_at ${quoted(path)}; and not string match -qr '^[./~]' -- (commandline -ct)`)}`;
  const after = (word: string) =>
    `complete -c quoll -n ${quoted(`__quoll_at ${quoted(path)}; and test (commandline -opc)[-1] = ${quoted(word)}`)}`;
  return [
    ...(source === undefined ? [] : [`${named} -f -a ${quoted(`(${source} 2>/dev/null)`)}`]),
    ...Object.entries(following).map(([word, known]) => `${after(word)} -f -a ${quoted(known.join(" "))}`),
    ...commands.map(({ word, meaning }) => `${start} -f -a ${quoted(word)} -d ${quoted(meaning)}`),
    ...(values.length > 0 ? [`${start} -f -a ${quoted(values.join(" "))}`] : []),
    ...options.map((option) => `${start}${optionWords(option)}`),
  ];
}

function optionWords({ names, meaning, values }: CompletedOption): string {
  const words = names.map((name) => (name.startsWith("--") ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join("");
  const value = values === undefined ? "" : values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -r";
  return `${words}${value} -d ${quoted(meaning)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
