import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

const SECRET = /^(?!.*secret)[\w./,:@-]+$/i;

const engine = (name: string): readonly ReadOnlyRow[] => {
  const row = (sub: string, flags: string, operands: "none" | "text"): ReadOnlyRow => ({
    name,
    sub: sub.split(" "),
    flags: words(flags),
    operands,
  });
  const list = "-a -q --all --quiet --format= --filter= -f= --no-trunc --digests";
  return [
    row("ps", `${list} -n= -l -s`, "none"),
    row("container ls", `${list} -n= -l -s`, "none"),
    row("images", list, "text"),
    row("image ls", list, "text"),
    row("volume ls", list, "none"),
    row("network ls", list, "none"),
    ...["image", "network", "volume", "container"].map((what) => row(`${what} inspect`, "-f= --format=", "text")),
    row("compose top", "", "text"),
    row("inspect", "-f= --format= -s --size --type=", "text"),
    row("version", "-f= --format=", "none"),
    row("info", "-f= --format=", "none"),
    row("system df", "-v --format=", "none"),
    row("top", "", "text"),
    row("port", "", "text"),
    row("history", "-q --no-trunc --format= -H", "text"),
    row("diff", "", "text"),
    row("context ls", "-q --format=", "none"),
    // Not -f/--follow: it would never end.
    row("logs", "-n= -t --tail= --since= --until= --timestamps --details", "text"),
    {
      ...row("stats", "--no-stream -a --all --format= --no-trunc", "text"),
      needsFlag: ["--no-stream"],
    },
    row("compose ps", "-a -q --all --quiet --format= --services --status=", "text"),
    row("compose ls", "-a -q --all --format=", "none"),
    row("compose logs", "-n= -t --tail= --since= --until= --no-color --timestamps", "text"),
    row("compose images", "-q --format=", "text"),
    row("compose version", "--short", "none"),
  ];
};

const kubectl = (sub: string, flags: string): ReadOnlyRow => ({
  name: "kubectl",
  sub: sub.split(" "),
  // Not -f/-k (files), --raw, -w/--watch (never end), --kubeconfig, --context, --token, --server, --template with files.
  flags: words(`-n= --namespace= -A --all-namespaces ${flags}`),
  operands: "text",
  operandShape: SECRET,
});

/** Container engines and clusters: what they list. Secrets are left out, by name. */
export const CONTAINER_ROWS: readonly ReadOnlyRow[] = [
  ...engine("docker"),
  ...engine("podman"),
  ...["ps", "images", "version", "logs"].map(
    (sub): ReadOnlyRow => ({
      name: "docker-compose",
      sub: [sub],
      flags: words("-a -q --all --quiet --services -n= -t --tail= --since= --no-color --timestamps --short"),
      operands: "text",
    }),
  ),
  {
    name: "docker",
    sub: ["buildx", "version"],
    flags: [],
    operands: "none" as const,
  },
  {
    name: "docker",
    sub: ["buildx", "ls"],
    flags: [],
    operands: "none" as const,
  },
  kubectl(
    "get",
    "-o= -l= --output= --selector= --field-selector= --sort-by= --show-labels --no-headers -L= --ignore-not-found",
  ),
  kubectl("describe", "-l= --selector= --show-events?"),
  kubectl(
    "logs",
    "-c= -p -l= --container= --previous --tail= --since= --since-time= --timestamps --all-containers --prefix",
  ),
  kubectl("top", "-l= --containers --no-headers --sort-by="),
  kubectl("explain", "--recursive --api-version="),
  kubectl("api-resources", "-o= --namespaced? --verbs= --no-headers"),
  kubectl("api-versions", ""),
  kubectl("cluster-info", ""),
  kubectl("version", "--client -o= --output="),
  {
    ...kubectl("rollout status", "--timeout= --revision= --watch?"),
    needsFlag: ["--timeout"],
  },
  kubectl("rollout history", "--revision="),
  kubectl("auth can-i", "--list"),
  kubectl("config view", "--minify -o= --output="),
  kubectl("config current-context", ""),
  kubectl("config get-contexts", "-o= --no-headers"),
].map((row) => (row.name === "kubectl" ? { ...row, refusedValue: /file=/ } : row));
