export type CommandResult = { readonly code: number; readonly out: string; readonly err: string };

type Options = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> };

/** Longest time that one command of a test may take, in milliseconds. */
const LIMIT_MS = 60_000;

/** Runs a program to its end, without stdin and without any credential or setting of the machine. */
export async function runCommand(command: readonly string[], { cwd, env = {} }: Options): Promise<CommandResult> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", TZ: "UTC", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}
