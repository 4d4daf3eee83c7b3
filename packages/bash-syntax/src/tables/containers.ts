import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

const SECRET = /^(?!.*secret)[\w./,:@-]+$/i;

const engine = (name: string): readonly ReadOnlyRow[] => {
  const row = (sub: string, flags: string, operands: "none" | "text", example = ""): ReadOnlyRow => ({
    name,
    sub: sub.split(" "),
    flags: words(flags),
    operands,
    matches: [`${name} ${sub}${example}`],
    misses: [
      `${name} -H tcp://x ${sub}`,
      `${name} --host=x ${sub}`,
      `${name} --config x ${sub}`,
      `${name} --context x ${sub}`,
      `${name} -c x ${sub}`,
      `${name} ${sub} --quoll`,
      `${name} run x`,
    ],
  });
  const list = "-a -q --all --quiet --format= --filter= -f= --no-trunc --digests";
  return [
    {
      ...row("ps", `${list} -n= -l -s`, "none", " -a --format '{{.Names}}'"),
      misses: [`${name} exec a ls`, `${name} -H x ps`, `${name} ps x`, `${name} run x`],
    },
    row("container ls", `${list} -n= -l -s`, "none"),
    row("images", list, "text"),
    row("image ls", list, "text"),
    row("volume ls", list, "none"),
    row("network ls", list, "none"),
    ...["image", "network", "volume", "container"].map((what) =>
      row(`${what} inspect`, "-f= --format=", "text", " web"),
    ),
    row("compose top", "", "text", " web"),
    row("inspect", "-f= --format= -s --size --type=", "text", " web"),
    row("version", "-f= --format=", "none"),
    row("info", "-f= --format=", "none"),
    row("system df", "-v --format=", "none"),
    row("top", "", "text", " web"),
    row("port", "", "text", " web"),
    row("history", "-q --no-trunc --format= -H", "text", " alpine"),
    row("diff", "", "text", " web"),
    row("context ls", "-q --format=", "none"),
    // Not -f/--follow: it would never end.
    {
      ...row("logs", "-n= -t --tail= --since= --until= --timestamps --details", "text", " --tail 50 web"),
      misses: [`${name} logs -f web`, `${name} logs --follow web`, `${name} logs -ft web`],
    },
    {
      ...row("stats", "--no-stream -a --all --format= --no-trunc", "text", " --no-stream"),
      needsFlag: ["--no-stream"],
      misses: [`${name} stats`, `${name} stats web`],
    },
    {
      ...row("compose ps", "-a -q --all --quiet --format= --services --status=", "text"),
      misses: [`${name} compose -f x up`, `${name} compose up`, `${name} compose config`],
    },
    { ...row("compose ls", "-a -q --all --format=", "none"), misses: [`${name} compose down`] },
    {
      ...row("compose logs", "-n= -t --tail= --since= --until= --no-color --timestamps", "text", " --tail=20 web"),
      misses: [`${name} compose logs -f`, `${name} compose run web ls`],
    },
    { ...row("compose images", "-q --format=", "text"), misses: [`${name} compose build`] },
    { ...row("compose version", "--short", "none"), misses: [`${name} compose pull`] },
  ];
};

const kubectl = (sub: string, flags: string, example: string, misses: readonly string[] = []): ReadOnlyRow => ({
  name: "kubectl",
  sub: sub.split(" "),
  // Not -f/-k (files), --raw, -w/--watch (never end), --kubeconfig, --context, --token, --server, --template with files.
  flags: words(`-n= --namespace= -A --all-namespaces ${flags}`),
  operands: "text",
  operandShape: SECRET,
  matches: [`kubectl ${sub}${example}`, `kubectl -n x ${sub}${example}`],
  misses: [
    `kubectl ${sub}${example} --kubeconfig=x`,
    `kubectl --server=x ${sub}${example}`,
    `kubectl ${sub}${example} -f x`,
    `kubectl ${sub}${example} --context=x`,
    `kubectl --context x ${sub}${example}`,
    `kubectl --cluster x ${sub}${example}`,
    "kubectl apply -f x",
    ...misses,
  ],
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
      matches: [`docker-compose ${sub}`],
      misses: [
        `docker-compose -f x ${sub}`,
        `docker-compose -H x ${sub}`,
        `docker-compose --env-file x ${sub}`,
        `docker-compose ${sub} -f`,
        "docker-compose up",
        "docker-compose config",
      ],
    }),
  ),
  {
    name: "docker",
    sub: ["buildx", "version"],
    flags: [],
    operands: "none" as const,
    matches: ["docker buildx version"],
    misses: ["docker buildx imagetools create x", "docker buildx version x", "docker buildx use x"],
  },
  {
    name: "docker",
    sub: ["buildx", "ls"],
    flags: [],
    operands: "none" as const,
    matches: ["docker buildx ls"],
    misses: ["docker buildx build .", "docker buildx bake", "docker -H x buildx ls", "docker buildx ls x"],
  },
  kubectl(
    "get",
    "-o= -l= --output= --selector= --field-selector= --sort-by= --show-labels --no-headers -L= --ignore-not-found",
    " pods",
    [
      "kubectl get secret x -o yaml",
      "kubectl get secrets",
      "kubectl get pods,secrets",
      "kubectl get pods -w",
      "kubectl get --raw /api",
      "kubectl get pods -o go-template-file=x",
      "kubectl exec a -- ls",
    ],
  ),
  kubectl("describe", "-l= --selector= --show-events?", " pod web", ["kubectl describe secret x"]),
  kubectl(
    "logs",
    "-c= -p -l= --container= --previous --tail= --since= --since-time= --timestamps --all-containers --prefix",
    " web --tail=20",
    ["kubectl logs web --follow"],
  ),
  kubectl("top", "-l= --containers --no-headers --sort-by=", " pods"),
  kubectl("explain", "--recursive --api-version=", " pods"),
  kubectl("api-resources", "-o= --namespaced? --verbs= --no-headers", ""),
  kubectl("api-versions", "", ""),
  kubectl("cluster-info", "", "", ["kubectl cluster-info dump --output-directory=x"]),
  kubectl("version", "--client -o= --output=", ""),
  {
    ...kubectl("rollout status", "--timeout= --revision= --watch?", " deploy/web --timeout=5s", [
      "kubectl rollout status deploy/web",
      "kubectl rollout restart deploy/web",
    ]),
    needsFlag: ["--timeout"],
  },
  kubectl("rollout history", "--revision=", " deploy/web", ["kubectl rollout undo deploy/web"]),
  kubectl("auth can-i", "--list", " get pods"),
  kubectl("config view", "--minify -o= --output=", "", ["kubectl config view --raw", "kubectl config set a b"]),
  kubectl("config current-context", "", "", ["kubectl config use-context x"]),
  kubectl("config get-contexts", "-o= --no-headers", ""),
].map((row) => (row.name === "kubectl" ? { ...row, refusedValue: /file=/ } : row));
