import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** A host, file or program in a value would lead elsewhere. */
const PLAIN = /^(?!.*:\/\/)[\w.,:@%+=*-]+(?:\/[\w.,:@%+=*-]+)*$/;
const ADDRESS = /:\/\/|^@|^file/;

const client = (
  name: string,
  sub: string,
  flags: string,
  row: Partial<ReadOnlyRow> & Pick<ReadOnlyRow, "misses">,
): ReadOnlyRow => ({
  name,
  sub: sub.split(" "),
  flags: words(flags),
  operands: "text",
  operandShape: PLAIN,
  refusedValue: ADDRESS,
  matches: [`${name} ${sub}`],
  ...row,
});

const HELM = "-n= --namespace= -A --all-namespaces -o= --output= -a --all --max= -q --short --date -r -m=";
const HELM_MISSES = ["helm install x c", "helm plugin list", "helm uninstall x", "helm template c --post-renderer x"];
const helm = (sub: string, more = "", example = ""): ReadOnlyRow =>
  client("helm", sub, `${HELM} ${more}`, {
    matches: [`helm ${sub}${example}`],
    misses: [
      `helm ${sub}${example} --kube-context x`,
      `helm --kube-context=x ${sub}${example}`,
      `helm ${sub}${example} --kubeconfig x`,
      `helm ${sub}${example} --kube-apiserver x`,
      ...HELM_MISSES,
    ],
  });

/** The region becomes part of a host name. */
const AWS_SHAPES: ReadOnlyRow["valueShapes"] = [
  ["--region", /^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/],
  ["--profile", /^[\w.@+-]+$/],
];
const AWS = "--profile= --region= --output= --query= --no-cli-pager --max-items= --page-size=";
const AWS_MISSES = ["aws s3 cp a s3://b", "aws configure set a b", "aws sts assume-role", "aws ec2 run-instances"];
const aws = (sub: string, row: Partial<ReadOnlyRow> = {}): ReadOnlyRow =>
  client("aws", sub, AWS, {
    ...row,
    valueShapes: AWS_SHAPES,
    misses: [
      `aws ${sub} --endpoint-url=http://x`,
      `aws ${sub} --ca-bundle x`,
      `aws ${sub} --cli-input-json file://x`,
      `aws --endpoint-url http://x ${sub}`,
      `aws ${sub} --region 'x.example/#'`,
      `aws ${sub} --region=example.com`,
      `aws ${sub} --profile='a b'`,
      ...(row.misses ?? []),
      ...AWS_MISSES,
    ],
  });

const gcloud = (sub: string, ...misses: readonly string[]): ReadOnlyRow =>
  client("gcloud", sub, "--format= --filter= --limit= --project=", {
    misses: [
      `gcloud ${sub} --access-token-file x`,
      `gcloud ${sub} --flags-file x`,
      "gcloud auth print-access-token",
      ...misses,
    ],
  });

/** Clients of services: what they list with the person's own account, and requests to servers on this machine. */
export const CLIENT_ROWS: readonly ReadOnlyRow[] = [
  {
    // GET and HEAD to this machine, shown or thrown away. special-shapes.ts reads the values.
    name: "curl",
    flags: words(
      `-s -S -f -i -I -v -k -g -N -4 -6 -H= -X= -A= -e= -m= -w= -o= --silent --show-error --fail --fail-with-body --include --head --verbose --insecure --globoff
      --no-buffer --ipv4 --ipv6 --header= --request= --user-agent= --referer= --max-time= --connect-timeout= --write-out= --output= --compressed --http1.1
      --http2 --retry= --retry-delay= --retry-connrefused --retry-all-errors --no-progress-meter`,
    ),
    operands: "text",
    minOperands: 1,
    maxOperands: 5,
    operandShape: /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::\d{1,5})?(?:\/[^\s{}[\]\\]*)?$/i,
    shape: "curl",
    matches: [
      "curl localhost:3000",
      "curl -s http://127.0.0.1:8080/health",
      "curl -sI http://localhost/",
      "curl -fsS -o /dev/null -w '%{http_code}' localhost:3000/x",
      "curl -X GET -H 'Accept: application/json' http://localhost:3000/a?b=c",
    ],
    misses: [
      "curl",
      "curl https://example.com",
      "curl localhost.evil.com",
      "curl localhost@evil.com",
      "curl localhost:80@evil.com",
      "curl 'localhost:3000' https://example.com",
      "curl http://localhost:3000 -o out",
      "curl -O http://localhost:3000/x",
      "curl -X POST localhost:3000",
      "curl -XDELETE localhost:3000",
      "curl -d a localhost:3000",
      "curl --data-binary @a localhost:3000",
      "curl -F a=@b localhost:3000",
      "curl -T a localhost:3000",
      "curl -L localhost:3000",
      "curl -K cfg localhost:3000",
      "curl -H @headers localhost:3000",
      "curl -H $'A: b\\r\\n\\r\\nPOST /x HTTP/1.1' localhost:3000",
      "curl -A $'a\\nb: c' localhost:3000",
      "curl -e $'a\\r\\nb: c' localhost:3000",
      "curl -H 'X-HTTP-Method-Override: DELETE' localhost:3000",
      "curl -w @format localhost:3000",
      "curl -w '%output{x}' localhost:3000",
      "curl -c jar localhost:3000",
      "curl -b jar localhost:3000",
      "curl -D out localhost:3000",
      "curl --trace out localhost:3000",
      "curl --stderr out localhost:3000",
      "curl -x http://evil localhost:3000",
      "curl --connect-to ::evil: localhost:3000",
      "curl --resolve localhost:80:1.2.3.4 localhost",
      "curl --unix-socket s localhost",
      "curl -u a:b localhost",
      "curl --json '{}' localhost:3000",
      "curl 'localhost:[1-9000]'",
      "curl localhost:3000 --next https://example.com",
      "curl file:///etc/passwd",
      "curl ftp://localhost/x",
      "curl telnet://localhost:25",
    ],
  },
  helm("list", "-d -f= --filter= --deployed --failed --pending -l= --selector="),
  helm("ls", "-d -f= --filter= --deployed --failed --pending -l= --selector="),
  helm("status", "--revision= --show-resources --show-desc", " web"),
  helm("history", "", " web"),
  helm("repo list"),
  helm("search repo", "-l --versions --version= --devel", " nginx"),
  aws("sts get-caller-identity"),
  aws("configure list"),
  {
    ...aws("s3 ls", { matches: ["aws s3 ls", "aws s3 ls s3://bucket/a --recursive"] }),
    flags: words(`${AWS} --recursive --human-readable --summarize`),
    operandShape: /^(?:s3:\/\/)?[\w.*/-]+$/,
  },
  ...[
    "ec2",
    "ecs",
    "eks",
    "rds",
    "elbv2",
    "cloudformation",
    "autoscaling",
    "logs",
    "iam",
    "route53",
    "sqs",
    "sns",
    "dynamodb",
    "cloudwatch",
    "ecr",
  ].map((service) => ({
    ...aws(service, {
      matches: [`aws ${service} describe-things --region eu-west-1 --output json`],
      misses: [`aws ${service} delete-things`, `aws ${service} describe-things --name file://x`],
    }),
    flags: words(
      `${AWS} --filters= --instance-ids= --names= --name= --cluster= --clusters= --services= --tasks= --stack-name= --log-group-name-prefix= --db-instance-identifier=`,
    ),
    minOperands: 1,
    maxOperands: 1,
    operandShape: /^(?:describe|list)-(?!.*(?:secret|task-definition|parameter))[a-z0-9-]+$/,
  })),
  gcloud("config list"),
  gcloud("auth list"),
  gcloud("projects list"),
  gcloud("compute instances list", "gcloud compute instances delete x"),
  gcloud("container clusters list", "gcloud container clusters get-credentials x"),
  client("az", "account show", "-o= --output= --query=", {
    misses: ["az account get-access-token", "az account set -s x", "az account show --subscription-file x"],
  }),
  client("az", "account list", "-o= --output= --query= --all", { misses: ["az login", "az account clear"] }),
  ...["group", "vm"].map((what) =>
    client("az", `${what} list`, "-o= --output= --query= -g= --resource-group=", {
      misses: [`az ${what} delete -n x`, `az ${what} create -n x`, `az ${what} list --file x`],
    }),
  ),
  {
    name: "psql",
    flags: ["-l", "--list", "-A", "-t", "-X", "--no-psqlrc", "-w", "--no-password"],
    operands: "none",
    needsFlag: ["-l", "--list"],
    matches: ["psql -l", "psql --list -At"],
    misses: [
      "psql",
      "psql -c 'select 1'",
      "psql -l -f x",
      "psql -l -o out",
      "psql -l -h evil",
      "psql -l db",
      "psql -A",
    ],
  },
];
