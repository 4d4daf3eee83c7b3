// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import type { Random } from "./random.ts";

const PLAIN = [..."abzAZ09_-+=:,.@%^{}~!#]", "é", "日", "😀"];
const INSIDE = [..." \tab'$`\"\\;&|<>(){}*?[]~!#=,.\n", "é", "$(canary)", "`canary`", "${x}", "\\n"];
const NAMES = ["x", "y", "z", "n", "w", "v", "q"];
/** `08` fails, and bash then leaves out the rest of the line. */
const NUMBERS = ["0", "1", "2", "10", "-1", "08"];
const ANSI = ["a", " ", "\\n", "\\'", '"', "\\\\", "\\x41", "\\101", "\\e", "$", "`", "é", "\\z", "\\u41", "\\cA"];

/** The levels that may still be nested. Each substitution or compound command uses one. */
type Depth = number;

function singleQuoted(random: Random): string {
  return `'${random.many(0, 4, () => random.pick(INSIDE).replaceAll("'", ""))}'`;
}

function doubleQuoted(random: Random, depth: Depth): string {
  const text = () => {
    if (random.once(3)) return expansion(random, depth, true);
    const piece = random.pick(INSIDE);
    return /[`"\\$]/.test(piece) ? piece.replace(/[`"\\$]/g, "\\$&") : piece;
  };
  return `"${random.many(0, 4, text)}"`;
}

function arithmetic(random: Random, depth: Depth): string {
  const operand = () =>
    random.once(4)
      ? random.pick(["x", "v", "$v", "${x}", "a[0]", "a[x]", "v++", `$(${list(random, depth - 1)})`])
      : random.pick(NUMBERS);
  return random.many(1, 3, operand, random.pick(["+", " - ", "*", " < ", " == ", ",", "&&", "/"]));
}

function substitution(random: Random, depth: Depth): string {
  const body = depth > 0 ? list(random, depth - 1) : "canary s";
  if (random.once(3) && !/[\\`\n]/.test(body)) return `\`${body.replace(/[$]/g, "\\$&")}\``;
  if (random.once(6)) return `\`${body.replace(/[`\\]/g, "\\$&")}\``;
  return `$(${random.pick(["", " ", "\n"])}${body}${random.pick(["", " ", "\n", " # c\n"])})`;
}

function parameter(random: Random, depth: Depth, quoted: boolean): string {
  const name = random.pick(NAMES);
  const inner = () => (quoted ? doublePart(random, depth) : word(random, depth - 1));
  switch (random.int(10)) {
    case 0:
      return `\${${name}${random.pick([":-", "-", ":+", "+", ":=", "="])}${inner()}}`;
    case 1:
      return `\${${name}${random.pick(["#", "##", "%", "%%", "/", "//", "^", ",,"])}${inner()}}`;
    case 2:
      return `\${${name}:${random.pick(NUMBERS)}${random.pick(["", ":1", ":v"])}}`;
    case 3:
      return random.pick(["${#x}", "${!x}", "${x@P}", "${y@Q}", "${!n*}", "${a[0]}", "${a[x]}", "${a[@]}", "${#a[@]}"]);
    case 4:
      return `\${${name}}`;
    default:
      return `$${name}`;
  }
}

/** Text between double quotes, without quotes of its own most of the time. */
function doublePart(random: Random, depth: Depth): string {
  return random.many(0, 2, () =>
    random.once(3) ? expansion(random, depth - 1, true) : random.pick(["a", " ", "\\}", "\\\\", "'", '"b"', ".", "*"]),
  );
}

function expansion(random: Random, depth: Depth, quoted: boolean): string {
  switch (random.int(4)) {
    case 0:
      return substitution(random, depth);
    case 1:
      return `$((${arithmetic(random, depth)}))`;
    default:
      return parameter(random, depth, quoted);
  }
}

function wordPiece(random: Random, depth: Depth): string {
  switch (random.int(12)) {
    case 0:
      return singleQuoted(random);
    case 1:
      return doubleQuoted(random, depth);
    case 2:
      return `$'${random.many(0, 3, () => random.pick(ANSI))}'`;
    case 3:
      return `\\${random.pick([..." ab'\"\\$`;&|<>(){}*?[]~!#=", "é", "\n"])}`;
    case 4:
      return random.pick(["*", "?", "[a]", "$", "{}", "{a}", "~", '$"t"', "\\\n"]);
    case 5:
      return `{${random.many(1, 3, () => (random.once(3) ? wordPiece(random, depth - 1) : random.pick(PLAIN)), random.pick([",", ",", ".."]))}}`;
    case 6:
    case 7:
      return depth > 0 ? expansion(random, depth, false) : random.pick(PLAIN);
    case 8:
      return depth > 0 && random.once(4) ? `${random.pick("<>".split(""))}(${list(random, depth - 1)})` : "p";
    default:
      return random.pick(PLAIN);
  }
}

function word(random: Random, depth: Depth): string {
  return random.many(1, 3, () => wordPiece(random, depth));
}

const blank = (random: Random) => random.pick([" ", " ", " ", "  ", "\t", " \\\n "]);

function redirect(random: Random, depth: Depth): string {
  if (random.once(4)) return ` ${random.pick([">", "<", ">>", "<<<", "2>"])} ${word(random, depth)}`;
  return ` ${random.pick([">f", "2>&1", "< f", ">>'g h'", "<<< x", "&>f", "3>&-", "{q}>f", ">&2", ">| f", "2>&8", "< nofile", "<> f", ">& $x", "2>& 1"])}`;
}

function assignment(random: Random, depth: Depth): string {
  if (random.once(3)) return `${random.pick(["v", "a", "q"])}=${word(random, depth)}`;
  return random.pick([
    "v=1",
    "q='x y'",
    "v=$x",
    "v+=2",
    "a=(1 2)",
    "a=(x $y)",
    "a[0]=1",
    "a[x]=1",
    "v=",
    `v=$(canary t)`,
  ]);
}

function simple(random: Random, depth: Depth): string {
  const name = random.pick(["a", "b", "a", "canary", '"a"', "\\b", "'a'", 'a""', "f", "g"]);
  const before = random.once(6) ? `${assignment(random, depth)} ` : "";
  const words = random.once(8) ? "" : blank(random) + random.many(1, 3, () => word(random, depth), blank(random));
  return `${before}${name}${words}${random.once(6) ? redirect(random, depth) : ""}`;
}

/** Builtins that may compute what they are given. */
function builtin(random: Random, depth: Depth): string {
  const operand = random.pick(["v", "x", "$x", '"$x"', "'a[$(canary b)]'", "a[0]", "a[$x]", word(random, depth)]);
  return random.pick([
    `printf -v ${operand} 1`,
    `read ${operand} <<< 1`,
    `declare ${operand}=1`,
    `declare -i v=${operand}`,
    `declare -a a=${operand}`,
    `export ${operand}`,
    `readonly ${operand}`,
    `unset ${operand}`,
    `let ${operand}`,
    `let v=${operand}`,
    `test -v ${operand}`,
    `[ ${operand} -eq 1 ]`,
    `[[ ${operand} -eq 1 ]]`,
    `[[ -v ${operand} ]]`,
    `[[ ${operand} == ${word(random, depth)} && ( -f a || ! -d ${operand} ) ]]`,
    `[[ ${operand} =~ ^a(b|c)$ ]]`,
    `(( ${arithmetic(random, depth)} ))`,
    `eval ${random.pick(["a", "'a b; canary e'", '"$y"', "'a $x'", operand])}`,
    `set -- ${operand}`,
    `trap ${random.pick(["- EXIT", "'canary t' EXIT", "'' INT"])}`,
    `command ${simple(random, depth)}`,
    `builtin echo ${operand}`,
    `exec ${simple(random, depth)}`,
    `time a ${operand}`,
    `: ${operand}`,
    `cd ${random.pick(["..", ".", "f", operand])}`,
    `wait ${random.pick(["", "$!", operand])}`,
    `local v=${operand}`,
    `shift ${operand}`,
    `mapfile -t ${operand} <<< 1`,
    `getopts ab ${operand}`,
    `$z ${operand}`,
  ]);
}

function heredoc(random: Random, depth: Depth): string {
  const live = random.many(1, 3, () =>
    random.pick(["a 'b", '"', " ", "\n", "\\$x", "\t", "#", expansion(random, depth, true)]),
  );
  const [start, body, end] = random.pick([
    ["<<E", "a 'b \"c\n#x\n E", "E"],
    ["<<'E'", "$(canary)\n`canary`\nE x", "E"],
    ['<<"E"', "${x:-$(canary)}\n\tE", "E"],
    ["<<-E", "\tx\n\ty'", "\tE"],
    ["<<E", live, "E"],
    ["<<-E", `\t${live}`, "\tE"],
    ["<<\\E", live, "E"],
    ["<<E", `a\\\n${live}`, "E"],
    ["<<-'E'", "\t$(canary)\nb", "\t\tE"],
    ["<<E", "\\", "E"],
  ] as const);
  return `a ${random.pick(["", "x "])}${start}${random.pick(["", " y", " | b", " >f", " && b"])}\n${body}\n${end}\n`;
}

function definition(random: Random, depth: Depth): string {
  const name = random.pick(["f", "g", "a", "cd", "echo"]);
  const body = list(random, depth - 1);
  const head = random.pick([`${name}()`, `${name} ( )`, `function ${name}`, `function ${name}()`]);
  const called = random.many(
    0,
    2,
    () => `; ${random.pick([name, `${name} ${word(random, 0)}`, `v=1 ${name}`, `${name} > f`])}`,
  );
  return `${head} ${random.pick([`{ ${body}; }`, `( ${body} )`, `{\n${body}\n}`, `{ ${body}; } > f`])}${called}`;
}

/** A loop over words that may be known, whose body reads its variable and may change it. */
function loop(random: Random, depth: Depth): string {
  const value = () => random.pick(["x", "y.c", "'b c'", "-n", "*", "{1,2}", "$x", '""', "~", word(random, 0)]);
  const read = () => random.pick(['"$v"', "$v", '"${v}"', '"$v"x', "${v%.c}", '"$(a "$v")"', '"$v$w"']);
  const change = random.once(3)
    ? `${random.pick(["v=q", "read v <<< q", "f() { v=q; }; f", "unset v", ": ${v:=q}", "eval v=q", "eval $'\\x76=q'", "read v{,1} <<< q", "printf -v v q", "for v in q; do :; done", builtin(random, depth - 1)])}; `
    : "";
  return `for v in ${random.many(1, 2, value, " ")}; do ${change}${random.pick(["a", "b", "canary"])} ${random.many(1, 2, read, " ")}${random.pick(["", "", " > f", ' < "$v"'])}; done`;
}

/** A command that another one starts out of its words. */
function wrapped(random: Random, depth: Depth): string {
  const script = () => list(random, Math.min(depth - 1, 1));
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  switch (random.int(6)) {
    case 0:
      return `bash -c ${quote(script())}`;
    case 1:
      return `bash ${random.pick(["-ec", "-c --", "-uc", "--norc -c", "-x -c"])} ${quote(script())} ${word(random, 0)}`;
    case 2:
      return `xargs ${random.pick(["", "-n 1 ", "-I{} ", "-0 ", "-t "])}${simple(random, 0)} <<< "p q"`;
    case 3:
      return `eval ${quote(script())}`;
    default:
      return `${random.pick(["env", "env v=1", "env -i", "timeout 1", "nice", "nice -n 1", "nohup", "command", "env nice"])} ${simple(random, depth - 1)}`;
  }
}

function command(random: Random, depth: Depth): string {
  if (depth <= 0) return simple(random, 0);
  const inner = () => list(random, depth - 1);
  switch (random.int(24)) {
    case 0:
      return `( ${inner()} )`;
    case 1:
      return `{ ${inner()}; }`;
    case 2:
      return `if ${inner()}; then ${inner()}; ${random.pick(["", `else ${inner()}; `, `elif ${inner()}; then ${inner()}; `])}fi`;
    case 3:
      return random.once(2)
        ? loop(random, depth)
        : `for v in ${word(random, depth)} ${word(random, depth)}; do ${inner()}; done`;
    case 4:
      return `case ${word(random, depth)} in ${random.pick(["q", "*", "a|b", "(x", word(random, depth)])}) ${inner()}${random.pick([";;", ";;", ";&", ";;&"])} *) ${inner()};; esac`;
    case 5:
      return `! ${inner()}`;
    case 6:
      return `${inner()} # ${random.many(0, 3, () => random.pick(INSIDE).replaceAll("\n", ""))}\n${inner()}`;
    case 7:
    case 8:
      return heredoc(random, depth);
    case 9:
      return definition(random, depth);
    // Conditions that nothing can change: a loop without end that starts processes fills the machine.
    case 10:
      return `${random.pick(["while c", "until :"])}; do ${inner()}; done`;
    case 11:
      return `for ((${random.pick([";", "v=0; v<2; v++", "0;0;0", "0;x && 0;0"]).replace(/^;$/, "0;0;")})); do ${inner()}; done`;
    case 12:
    case 13:
    case 14:
      return builtin(random, depth);
    case 15:
      return assignment(random, depth);
    case 17:
      return wrapped(random, depth);
    case 16:
      return `{ ${inner()}; }${redirect(random, depth)}`;
    default:
      return simple(random, depth);
  }
}

function list(random: Random, depth: Depth): string {
  const separator = random.pick(["; ", " && ", " || ", " | ", "\n", " & ", ";", "&&\n", " |& "]);
  return random.many(1, 2, () => command(random, depth), separator);
}

/**
 * A random source that uses all grammar that the parser knows, and some that it doesn't know; some sources are broken.
 */
export function generate(random: Random): string {
  const source = list(random, 1 + random.int(3));
  if (!random.once(5)) return source;
  const at = random.int(source.length + 1);
  const piece = random.pick(["", ..."'\"\\$`;&|<>(){}# \n[]=", "$(", "${", "<<E", "'canary'", "$(canary m)"]);
  return source.slice(0, at) + piece + source.slice(at + random.int(2));
}
