import { expect, test } from "bun:test";
import { innerCommands } from "../src/inner-commands.ts";
import { anyCommand } from "./judge.ts";
import { parser } from "./real-parser.ts";

function inner(source: string) {
  const found = innerCommands(anyCommand(source), parser);
  return found && { commands: found.commands.map((one) => one.source), isKnown: found.unknown.length === 0 };
}

test.each([
  ["hyperfine 'rm a; ls' 'make b'", ["rm a", "ls", "make b"]],
  ["hyperfine -w 3 --prepare 'rm a' ls", ["rm a", "ls"]],
  ["tmux new -d -s x 'rm a'", ["rm a"]],
  ["tmux -L s split-window -h rm a", ["rm a"]],
  ["screen -dmS x rm a", ["rm a"]],
  ["nix develop .#x -c rm a", ["rm a"]],
  ["nix shell x --command rm a", ["rm a"]],
  ["start-stop-daemon --start --exec /bin/rm -- a", ["/bin/rm a"]],
  ["start-stop-daemon -S --startas=rm -- -f a", ["rm -f a"]],
  ["/lib64/ld-linux-x86-64.so.2 /bin/rm a", ["/bin/rm a"]],
  ["ld.so rm a", ["rm a"]],
  ["setarch x86_64 -R rm a", ["rm a"]],
  ["bwrap --ro-bind / / --dev /dev rm a", ["rm a"]],
])("%s starts %j", (source, commands) => {
  expect(inner(source)).toEqual({ commands, isKnown: true });
});

test.each([
  "hyperfine $x",
  "hyperfine --shell=zsh ls",
  "tmux send-keys -t x 'rm a' Enter",
  "tmux run-shell 'rm a'",
  "tmux display-message '#(rm a)'",
  "tmux new -d ls ';' run rm",
  "tmux $x",
  "screen -S x -X exec rm a",
  "start-stop-daemon --start --name x",
  "ld-linux-x86-64.so.2 --preload ./x.so /bin/ls",
  "setarch --quoll x86_64 ls",
  "bwrap --args 3 ls",
])("what %s starts can't be known", (source) => {
  expect(inner(source)?.isKnown).toBe(false);
});

test.each([
  "tmux ls",
  "tmux kill-session -t x",
  "screen -ls",
  "nix build",
  "nix develop",
  "start-stop-daemon --stop -p x",
  "ld.so --version",
  "valgrind --version",
])("%s starts nothing", (source) => {
  expect(inner(source)).toBeUndefined();
});
