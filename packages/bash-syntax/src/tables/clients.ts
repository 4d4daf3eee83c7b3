import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** A host, file or program in a value would lead elsewhere. */
const PLAIN = /^(?!.*:\/\/)[\w.,:@%+=*-]+(?:\/[\w.,:@%+=*-]+)*$/;
const ADDRESS = /:\/\/|^@|^file/;

const client = (name: string, sub: string, flags: string, row: Partial<ReadOnlyRow> = {}): ReadOnlyRow => ({
  name,
  sub: sub.split(" "),
  flags: words(flags),
  operands: "text",
  operandShape: PLAIN,
  refusedValue: ADDRESS,
  ...row,
});

const HELM = "-n= --namespace= -A --all-namespaces -o= --output= -a --all --max= -q --short --date -r -m=";
const helm = (sub: string, more = ""): ReadOnlyRow => client("helm", sub, `${HELM} ${more}`);

/** The region becomes part of a host name. */
const AWS_SHAPES: ReadOnlyRow["valueShapes"] = [
  ["--region", /^[a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}$/],
  ["--profile", /^[\w.@+-]+$/],
];
const AWS = "--profile= --region= --output= --query= --no-cli-pager --max-items= --page-size=";
const aws = (sub: string, row: Partial<ReadOnlyRow> = {}): ReadOnlyRow =>
  client("aws", sub, AWS, {
    ...row,
    valueShapes: AWS_SHAPES,
  });

const gcloud = (sub: string): ReadOnlyRow => client("gcloud", sub, "--format= --filter= --limit= --project=");

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
  },
  helm("list", "-d -f= --filter= --deployed --failed --pending -l= --selector="),
  helm("ls", "-d -f= --filter= --deployed --failed --pending -l= --selector="),
  helm("status", "--revision= --show-resources --show-desc"),
  helm("history", ""),
  helm("repo list"),
  helm("search repo", "-l --versions --version= --devel"),
  aws("sts get-caller-identity"),
  aws("configure list"),
  {
    ...aws("s3 ls"),
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
    ...aws(service),
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
  gcloud("compute instances list"),
  gcloud("container clusters list"),
  client("az", "account show", "-o= --output= --query="),
  client("az", "account list", "-o= --output= --query= --all"),
  ...["group", "vm"].map((what) => client("az", `${what} list`, "-o= --output= --query= -g= --resource-group=")),
  {
    name: "psql",
    flags: ["-l", "--list", "-A", "-t", "-X", "--no-psqlrc", "-w", "--no-password"],
    operands: "none",
    needsFlag: ["-l", "--list"],
  },
];
