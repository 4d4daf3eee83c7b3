import type { OptionTable } from "../option-table.ts";

/** Of `docker compose` and `docker-compose`. */
const COMPOSE_OPTIONS = `-a -d -f= -p= -q -t= -v -V -T -e= -u= -w= -l= -i --abort-on-container-exit --abort-on-container-failure --all --all-resources
  --always-recreate-deps --ansi= --attach= --attach-dependencies --build --build-arg= --builder= --compatibility --detach --dry-run --entrypoint=
  --env= --env-file= --environment --exit-code-from= --file= --filter= --follow --force --force-recreate --format= --hash= --images --index=
  --interactive --label= --memory= -m= --menu --name= --no-TTY --no-attach= --no-build --no-cache --no-color --no-consistency --no-deps
  --no-interpolate --no-log-prefix --no-normalize --no-path-resolution --no-recreate --no-start --no-stream --no-trunc --orphans --output=> -o=>
  --parallel= --privileged! --profile= --profiles --progress= --project-directory= --project-name= --publish= --pull --push --quiet --quiet-pull
  --rm --remove-orphans --renew-anon-volumes --resolve-image-digests --rmi= --scale= --service-ports -P --services --signal= -s= --since= --ssh=
  --status= --stop --tail= -n= --timeout= --timestamps --until= --use-aliases --user= --volume= --volumes --wait --wait-timeout= --watch
  --with-dependencies --workdir= --ignore-buildable --ignore-pull-failures --include-deps --policy= --cap-add= --cap-drop= --json --prune --no-up
  --short`;

/** Options of programs that connect to a service: containers, clusters, GitHub, infrastructure. */
export const SERVICE_OPTIONS: readonly OptionTable[] = [
  {
    name: "docker",
    flags: "-D -l= --context= --debug --log-level=",
    subs: {
      build: `-c= -f= -m= -o=> -q -t= --add-host= --allow=! --annotation= --attest= --build-arg= --build-context= --builder= --cache-from= --cache-to= --call=
      --cgroup-parent= --check --compress --cpu-period= --cpu-quota= --cpu-shares= --cpuset-cpus= --cpuset-mems= --disable-content-trust --file=
      --force-rm --iidfile=> --isolation= --label= --load --memory-swap= --memory= --metadata-file=> --network= --no-cache --no-cache-filter=
      --output=> --platform= --progress= --provenance= --pull --push --quiet --rm --sbom= --secret= --security-opt= --shm-size= --squash --ssh= --tag=
      --target= --ulimit=`,
      run: `-a= -c= -d -e= -h= -i -l= -m= -P -p= -q -t -u= -v= -w= --add-host= --annotation= --attach= --blkio-weight-device= --blkio-weight= --cap-add=
      --cap-drop= --cgroup-parent= --cgroupns= --cidfile=> --cpu-count= --cpu-percent= --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime=
      --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= --detach --detach-keys= --device-cgroup-rule= --device-read-bps= --device-read-iops=
      --device-write-bps= --device-write-iops= --device= --disable-content-trust --dns-option= --dns-search= --dns= --domainname= --entrypoint=
      --env-file= --env= --expose= --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-start-interval=
      --health-start-period= --health-timeout= --hostname= --init --interactive --io-maxbandwidth= --io-maxiops= --ip6= --ip= --ipc= --isolation=
      --kernel-memory= --label-file= --label= --link-local-ip= --link= --log-driver= --log-opt= --mac-address= --memory-reservation= --memory-swap=
      --memory-swappiness= --memory= --mount= --name= --network-alias= --network= --no-healthcheck --oom-kill-disable --oom-score-adj= --pid=
      --pids-limit= --platform= --privileged! --publish-all --publish= --pull= --quiet --read-only --restart= --rm --runtime= --security-opt=
      --shm-size= --sig-proxy --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --tty --ulimit= --use-api-socket! --user= --userns=
      --uts= --volume-driver= --volume= --volumes-from= --workdir=`,
      exec: `-d -e= -i -t -u= -w= --detach --detach-keys= --env-file= --env= --interactive --privileged! --tty --user= --workdir=`,
      ps: "-a -f= -l -n= -q -s --all --filter= --format= --last= --latest --no-trunc --quiet --size",
      images: "-a -f= -q --all --digests --filter= --format= --no-trunc --quiet --tree",
      "pull push": "-a -q --all-tags --disable-content-trust --platform= --quiet",
      logs: "-f -n= -t --details --follow --since= --tail= --timestamps --until=",
      inspect: "-f= -s --format= --size --type=",
      "stop restart": "-s= -t= --signal= --timeout=",
      start: "-a -i --attach --checkpoint-dir=> --checkpoint= --detach-keys= --interactive",
      rm: "-f -l -v --force --link --volumes",
      rmi: "-f --force --no-prune --platform=",
      kill: "-s= --signal=",
      cp: "-a -L -q --archive --follow-link --quiet",
      create: `-a= -c= -e= -h= -i -l= -m= -P -p= -q -t -u= -v= -w= --add-host= --annotation= --attach= --blkio-weight-device= --blkio-weight= --cap-add=
      --cap-drop= --cgroup-parent= --cgroupns= --cidfile=> --cpu-count= --cpu-percent= --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime=
      --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= --device-cgroup-rule= --device-read-bps= --device-read-iops= --device-write-bps=
      --device-write-iops= --device= --disable-content-trust --dns-option= --dns-search= --dns= --domainname= --entrypoint= --env-file= --env=
      --expose= --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-start-interval= --health-start-period=
      --health-timeout= --hostname= --init --interactive --io-maxbandwidth= --io-maxiops= --ip6= --ip= --ipc= --isolation= --kernel-memory=
      --label-file= --label= --link-local-ip= --link= --log-driver= --log-opt= --mac-address= --memory-reservation= --memory-swap=
      --memory-swappiness= --memory= --mount= --name= --network-alias= --network= --no-healthcheck --oom-kill-disable --oom-score-adj= --pid=
      --pids-limit= --platform= --privileged! --publish-all --publish= --pull= --quiet --read-only --restart= --rm --runtime= --security-opt=
      --shm-size= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --tty --ulimit= --use-api-socket! --user= --userns= --uts=
      --volume-driver= --volume= --volumes-from= --workdir=`,
      "tag logout diff top port rename wait": "",
      login: "-p= -u= --password-stdin --password= --username=",
      "info version": "-f= --format=",
      volume: `-a -d= -f -o= -q --all --availability= --cluster --driver= --filter= --force --format= --group= --label= --limit-bytes= --opt= --quiet
      --required-bytes= --scope= --secret= --sharing= --topology-preferred= --topology-required= --type=`,
      network: `-d= -f= -o= -q -v --alias= --attachable --aux-address= --config-from= --config-only --driver-opt= --driver= --filter= --force --format=
      --gateway= --gw-priority= --ingress --internal --ip-range= --ip6= --ip= --ipam-driver= --ipam-opt= --ipv4 --ipv6 --label= --link-local-ip=
      --link= --no-trunc --opt= --quiet --scope= --subnet= --verbose`,
      system: "-a -f -v --all --filter= --force --format= --verbose --volumes",
      search: "-f= --filter= --format= --limit= --no-trunc",
      save: "-o=> --output=> --platform=",
      load: "-i= -q --input= --platform= --quiet",
      export: "-o=> --output=>",
      import: "-c= -m= --change= --message= --platform=",
      commit: "-a= -c= -m= -p --author= --change= --message= --pause",
      stats: "-a --all --format= --no-stream --no-trunc",
      update: `-c= -m= --blkio-weight= --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime= --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems=
      --memory-reservation= --memory-swap= --memory= --pids-limit= --restart=`,
      attach: "--detach-keys= --no-stdin --sig-proxy",
      events: "-f= --filter= --format= --since= --until=",
      history: "-q --format= --human --no-trunc --platform= --quiet",
      buildx: `-a -c= -D -f= -l= -o=> -q -t= -v --all --attest= --bootstrap --build-arg= --build-context= --builder= --cache-from= --cache-to= --debug
      --driver= --file= --filter= --iidfile=> --label= --load --log-level= --metadata-file=> --name= --no-cache --output=> --platform= --print
      --progress= --provenance= --pull --push --quiet --sbom= --secret= --set= --ssh= --tag= --target= --use`,
      container: `-a= -c= -d -e= -f= -h= -i -L -l= -m= -n= -o=> -P -p= -q -s= -t= -u= -v= -w= --add-host= --all --annotation= --archive --attach=
      --blkio-weight-device= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --checkpoint-dir=> --checkpoint= --cidfile=>
      --cpu-count= --cpu-percent= --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime= --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems=
      --detach --detach-keys= --details --device-cgroup-rule= --device-read-bps= --device-read-iops= --device-write-bps= --device-write-iops=
      --device= --disable-content-trust --dns-option= --dns-search= --dns= --domainname= --entrypoint= --env-file= --env= --expose= --filter= --follow
      --follow-link --force --format= --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-start-interval=
      --health-start-period= --health-timeout= --hostname= --init --interactive --io-maxbandwidth= --io-maxiops= --ip6= --ip= --ipc= --isolation=
      --kernel-memory= --label-file= --label= --last= --latest --link-local-ip= --link= --log-driver= --log-opt= --mac-address= --memory-reservation=
      --memory-swap= --memory-swappiness= --memory= --mount= --name= --network-alias= --network= --no-healthcheck --no-trunc --oom-kill-disable
      --oom-score-adj= --output=> --pid= --pids-limit= --platform= --privileged! --publish-all --publish= --pull= --quiet --read-only --restart= --rm
      --runtime= --security-opt= --shm-size= --sig-proxy --signal= --since= --size --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tail=
      --timeout= --timestamps --tmpfs= --tty --ulimit= --until= --use-api-socket! --user= --userns= --uts= --volume-driver= --volume= --volumes
      --volumes-from= --workdir=`,
      image: `-a -c= -f= -m= -o=> -q -t= --add-host= --all --all-tags --build-arg= --cache-from= --cgroup-parent= --compress --cpu-period= --cpu-quota=
      --cpu-shares= --cpuset-cpus= --cpuset-mems= --digests --disable-content-trust --file= --filter= --force --force-rm --format= --human --iidfile=>
      --isolation= --label= --memory-swap= --memory= --network= --no-cache --no-prune --no-trunc --output=> --platform= --privileged! --pull --quiet
      --rm --security-opt= --shm-size= --squash --tag= --target= --tree --ulimit=`,
      context: "-f= -q --description= --docker= --force --format= --from= --quiet",
      compose: COMPOSE_OPTIONS,
    },
    script: ["run", "exec", "create", "compose run", "compose exec", "container run", "container exec"],
  },
  {
    name: "docker-compose",
    flags: COMPOSE_OPTIONS,
    subs: {
      "up down build ps logs exec run pull push start stop restart rm config top images kill pause unpause create cp events port ls version watch wait stats convert scale export attach publish volumes":
        "",
    },
    script: ["run", "exec"],
  },
  {
    name: "kubectl",
    flags: `-h -n= -s=! -v= --as-group=! --as-uid=! --as=! --cache-dir=> --certificate-authority=! --client-certificate=! --client-key=! --cluster=!
      --context=! --disable-compression --insecure-skip-tls-verify! --kubeconfig=! --log-flush-frequency= --match-server-version --namespace=
      --password=! --profile-output=> --profile= --request-timeout= --server=! --tls-server-name=! --token=! --user=! --username=! --v= --vmodule=
      --warnings-as-errors`,
    subs: {
      get: `-A -f= -k= -L= -l= -o= -R -w --all-namespaces --allow-missing-template-keys --chunk-size= --field-selector= --filename= --ignore-not-found
      --kustomize= --label-columns= --no-headers --output-watch-events --output= --raw= --recursive --selector= --server-print --show-kind
      --show-labels --show-managed-fields --sort-by= --subresource= --template= --watch --watch-only`,
      describe: `-A -f= -k= -l= -R --all-namespaces --chunk-size= --filename= --kustomize= --recursive --selector= --show-events`,
      logs: `-c= -f -l= -p --all-containers --all-pods --container= --follow --ignore-errors --insecure-skip-tls-verify-backend --limit-bytes=
      --max-log-requests= --pod-running-timeout= --prefix --previous --selector= --since-time= --since= --tail= --timestamps`,
      apply: `-f= -k= -l= -o= -R --all --allow-missing-template-keys --cascade= --dry-run= --field-manager= --filename= --force --force-conflicts
      --grace-period= --kustomize= --openapi-patch --output= --overwrite --prune --prune-allowlist= --recursive --selector= --server-side
      --show-managed-fields --subresource= --template= --timeout= --validate= --wait`,
      create: `-f= -k= -l= -o= -R -r= --allow-missing-template-keys --append-hash --dry-run= --edit --field-manager= --filename= --from-env-file= --from-file=
      --from-literal= --from= --image= --kustomize= --output= --port= --raw= --recursive --replicas= --save-config --selector= --show-managed-fields
      --template= --validate= --windows-line-endings`,
      delete: `-A -f= -i -k= -l= -o= -R --all --all-namespaces --cascade= --dry-run= --field-selector= --filename= --force --grace-period= --ignore-not-found
      --interactive --kustomize= --now --output= --raw= --recursive --selector= --timeout= --wait`,
      exec: "-c= -f= -i -q -t --container= --filename= --pod-running-timeout= --quiet --stdin --tty",
      expose: `-f= -k= -l= -o= -R --allow-missing-template-keys --cluster-ip= --dry-run= --external-ip= --field-manager= --filename= --kustomize= --labels=
      --load-balancer-ip= --name= --output= --override-type= --overrides= --port= --protocol= --recursive --save-config --selector=
      --session-affinity= --show-managed-fields --target-port= --template= --type=`,
      explain: "-o= --api-version= --output= --recursive",
      run: `-f= -i -k= -l= -o= -q -R -t --allow-missing-template-keys --annotations= --attach --cascade= --command --dry-run= --env= --expose
      --field-manager= --filename= --force --grace-period= --image-pull-policy= --image= --kustomize= --labels= --leave-stdin-open --output=
      --override-type= --overrides= --pod-running-timeout= --port= --privileged --quiet --recursive --restart= --rm --save-config
      --show-managed-fields --stdin --template= --timeout= --tty --wait`,
      set: `-c= -e= -f= -k= -l= -o= -R --all --allow-missing-template-keys --containers= --dry-run= --env= --field-manager= --filename= --from= --keys=
      --kustomize= --limits= --list --local --output= --overwrite --prefix= --recursive --requests= --resolve --selector= --show-managed-fields
      --template=`,
      "label annotate": `-A -f= -k= -l= -o= -R --all --all-namespaces --allow-missing-template-keys --dry-run= --field-manager= --field-selector= --filename=
      --kustomize= --list --local --output= --overwrite --recursive --resource-version= --selector= --show-managed-fields --template=`,
      scale: `-f= -k= -l= -o= -R --all --allow-missing-template-keys --current-replicas= --dry-run= --filename= --kustomize= --output= --recursive --replicas=
      --resource-version= --selector= --show-managed-fields --template= --timeout=`,
      autoscale: `-f= -k= -o= -R --allow-missing-template-keys --cpu-percent= --dry-run= --field-manager= --filename= --kustomize= --max= --min= --name= --output=
      --recursive --save-config --show-managed-fields --template=`,
      rollout: `-f= -k= -l= -o= -R -w --allow-missing-template-keys --dry-run= --field-manager= --filename= --kustomize= --output= --recursive --revision=
      --selector= --show-managed-fields --template= --timeout= --to-revision= --watch`,
      top: "-A -l= --all-namespaces --containers --no-headers --selector= --sort-by= --sum --use-protocol-buffers",
      "port-forward": "--address= --pod-running-timeout=",
      cp: "-c= --container= --no-preserve --retries=",
      attach: "-c= -i -q -t --container= --pod-running-timeout= --quiet --stdin --tty",
      drain: `-l= --chunk-size= --delete-emptydir-data --disable-eviction --dry-run= --force --grace-period= --ignore-daemonsets --pod-selector= --selector=
      --skip-wait-for-delete-timeout= --timeout=`,
      "cordon uncordon": "-l= --dry-run= --selector=",
      taint: `-l= -o= --all --allow-missing-template-keys --dry-run= --field-manager= --output= --overwrite --selector= --show-managed-fields --template=
      --validate=`,
      wait: `-A -f= -l= -o= -R --all --all-namespaces --allow-missing-template-keys --field-selector= --filename= --for= --local --output= --recursive
      --selector= --show-managed-fields --template= --timeout=`,
      patch: `-f= -k= -o= -p= -R --allow-missing-template-keys --dry-run= --field-manager= --filename= --kustomize= --local --output= --patch-file= --patch=
      --recursive --show-managed-fields --subresource= --template= --type=`,
      replace: `-f= -k= -o= -R --allow-missing-template-keys --cascade= --dry-run= --field-manager= --filename= --force --grace-period= --kustomize= --output=
      --raw= --recursive --save-config --show-managed-fields --subresource= --template= --timeout= --validate= --wait`,
      diff: `-f= -k= -l= -R --concurrency= --field-manager= --filename= --force-conflicts --kustomize= --prune --prune-allowlist= --recursive --selector=
      --server-side --show-managed-fields`,
      kustomize: `-e= -o=> --as-current-user --enable-alpha-plugins! --enable-helm! --env= --helm-api-versions= --helm-command=! --helm-debug --helm-kube-version=
      --load-restrictor= --mount= --network --network-name= --output=>`,
      config: `-o= --allow-missing-template-keys --cluster= --current --flatten --merge --minify --namespace= --no-headers --output= --raw
      --show-managed-fields --template= --user=`,
      "cluster-info": "-A -o= --all-namespaces --namespaces= --output-directory=>",
      "api-resources":
        "-o= --api-group= --cached --categories= --namespaced --no-headers --output= --sort-by= --verbs=",
      "api-versions": "",
      version: "-o= --client --output=",
      auth: "-A -q --all-namespaces --list --no-headers --quiet --subresource=",
      debug: `-c= -f= -i -q -t --arguments-only --attach --container= --copy-to= --custom= --env= --filename= --image-pull-policy= --image= --keep-annotations
      --keep-init-containers --keep-labels --keep-liveness --keep-readiness --keep-startup --profile= --quiet --replace --same-node --set-image=
      --share-processes --stdin --target= --tty`,
      edit: "-o= --output= --record",
    },
    script: ["exec", "run", "debug"],
  },
  {
    name: "gh",
    // The arguments of `git clone`.
    behindDashes:
      /^(?:--(?:depth|branch|single-branch|no-single-branch|recursive|recurse-submodules|shallow-submodules|filter|bare|mirror|quiet|no-tags|no-checkout|sparse|jobs)(?:=[\w.:/-]+)?|-[qb]|[\w.][\w./:-]*)$/,
    flags: "",
    subs: {
      pr: `-A= -a= -B= -b= -C -c= -d -e -f -F= -H= -i= -L= -l= -m= -p= -q= -R= -r= -s -S= -T= -t= -w --add-assignee= --add-label= --add-project=
      --add-reviewer= --admin --app= --approve --assignee= --author-email= --author= --auto --base= --body-file= --body= --branch= --color= --comment
      --comments --conflict-status --delete-branch --detach --disable-auto --draft --dry-run --edit-last --editor --fail-fast --fill --fill-first
      --fill-verbose --force --head= --interval= --jq= --json= --label= --limit= --match-head-commit= --merge --milestone= --name-only
      --no-maintainer-edit --patch --project= --rebase --recover= --recurse-submodules --remove-assignee= --remove-label= --remove-project=
      --remove-reviewer= --repo= --request-changes --required --reviewer= --search= --squash --state= --subject= --template= --title= --undo --watch
      --web`,
      issue: `-A= -a= -b= -c= -e -F= -L= -l= -m= -p= -q= -R= -r= -S= -s= -T= -t= -w --add-assignee= --add-label= --add-project= --app= --assignee= --author=
      --body-file= --body= --comment= --comments --create-if-none --duplicate-of= --edit-last --editor --jq= --json= --label= --limit= --mention=
      --milestone= --project= --reason= --recover= --remove-assignee= --remove-label= --remove-project= --repo= --search= --state= --template=
      --title= --web`,
      run: `-a -b= -c= -d -D=> -e= -i= -j= -L= -n= -p= -q= -R= -s= -t= -u= -v -w= --all --attempt= --branch= --commit= --compact --created= --debug --dir=>
      --event= --exit-status --failed --interval= --job= --jq= --json= --limit= --log --log-failed --name= --pattern= --repo= --status= --template=
      --user= --verbose --web --workflow=`,
      repo: `-b= -c -d= -g= -h= -L= -l= -p= -q= -R= -r= -s= -t= -u= -w -y --add-readme --add-topic= --allow-forking --allow-update-branch --archived
      --branch= --clone --confirm --default-branch-only --default-branch= --delete-branch-on-merge --description= --disable-issues --disable-wiki
      --enable-auto-merge --enable-discussions --enable-issues --enable-merge-commit --enable-projects --enable-rebase-merge --enable-squash-merge
      --enable-wiki --force --fork --fork-name= --gitignore= --homepage= --include-all-branches --internal --jq= --json= --language= --license=
      --limit= --no-archived --org= --private --public --push --remote --remote-name= --remove-topic= --repo= --source= --team= --template= --topic=
      --upstream-remote-name= --visibility= --web --yes`,
      release: `-A= -d -D=> -F= -L= -n= -O=> -p= -q= -R= -t= -w -y --archive= --cleanup-tag --clobber --dir=> --discussion-category= --draft --exclude-drafts
      --exclude-pre-releases --generate-notes --jq= --json= --latest --limit= --notes-file= --notes-start-tag= --notes= --output=> --pattern=
      --prerelease --repo= --skip-existing --tag= --target= --template= --title= --verify-tag --web --yes`,
      workflow: "-a -F= -f= -L= -R= -r= -w -y --all --field= --json --limit= --raw-field= --ref= --repo= --web --yaml",
      auth: `-a -h= -p= -R= -s= -t -w --active --git-protocol= --hostname=! --repo= --scopes= --show-token --web --with-token`,
      gist: "-d= -f= -L= -p -r -R= -w --desc= --filename= --files --limit= --public --raw --repo= --secret --web",
      label: `-c= -d= -f -L= -q= -R= -S= -t= -w --color= --description= --force --jq= --json= --limit= --order= --repo= --search= --sort= --template= --web`,
      search: `-B= -H= -L= -q= -R= -S= -t= -w --app= --archived --assignee= --author-date= --author-email= --author-name= --author= --base= --checks= --closed=
      --commenter= --comments= --committer-date= --committer-email= --committer-name= --committer= --created= --draft --followers= --forks=
      --good-first-issues= --hash= --head= --help-wanted-issues= --include-forks= --include-prs --interactions= --involves= --jq= --json= --label=
      --language= --license= --limit= --locked --match= --mentions= --merge --merged --merged-at= --milestone= --number-topics= --order= --owner=
      --parent= --project= --reactions= --repo= --review-requested= --review= --reviewed-by= --size= --sort= --stars= --state= --team-mentions=
      --template= --topic= --tree= --updated= --visibility= --web`,
      secret: `-a= -b= -e= -f= -o= -q= -R= -r= -u -v= --app= --body= --env-file= --env= --json= --no-repos-selected --no-store --org= --repo= --repos= --user
      --visibility=`,
      variable: "-b= -e= -f= -o= -q= -R= -t= --body= --env-file= --env= --json= --org= --repo=",
      cache: `-a -k= -L= -O= -q= -R= -r= -S= --all --json= --key= --limit= --order= --ref= --repo= --sort= --succeed-on-no-caches`,
      api: `-F= -f= -H= -i -p= -q= -R= -t= -X= --cache= --field= --header= --hostname=! --include --input= --jq= --method= --paginate --preview=
      --raw-field= --repo= --silent --slurp --template= --verbose`,
      browse: "-b= -c -n -p -R= -s -w --branch= --commit --no-browser --projects --repo= --settings --wiki",
      status: "-e= -o= -R= --exclude= --org= --repo=",
    },
  },
  {
    name: "terraform",
    flags: "-chdir=",
    subs: {
      init: `-backend-config= -backend= -force-copy -from-module=! -get= -ignore-remote-version -input= -json -lock-timeout= -lock= -lockfile= -migrate-state
      -no-color -plugin-dir=! -reconfigure -test-directory= -upgrade`,
      plan: `-compact-warnings -destroy -detailed-exitcode -generate-config-out=> -input= -json -lock-timeout= -lock= -no-color -out=> -parallelism=
      -refresh-only -refresh= -replace= -state=> -target= -var-file= -var=`,
      apply: `-auto-approve -backup=> -compact-warnings -destroy -input= -json -lock-timeout= -lock= -no-color -parallelism= -refresh-only -refresh= -replace=
      -state-out=> -state=> -target= -var-file= -var=`,
      destroy:
        "-auto-approve -input= -json -lock-timeout= -lock= -no-color -parallelism= -refresh= -target= -var-file= -var=",
      validate: "-json -no-color -no-tests -test-directory=",
      fmt: "-check -diff -list= -no-color -recursive -write=",
      show: "-json -no-color",
      output: "-json -no-color -raw -state=",
      state: "-backup=> -id= -json -lock-timeout= -lock= -state=",
      import: `-backup=> -config= -ignore-remote-version -input= -lock-timeout= -lock= -no-color -provider= -state=> -var-file= -var=`,
      refresh: `-backup=> -compact-warnings -input -lock -lock-timeout= -no-color -parallelism= -state=> -target= -var -var-file=`,
      workspace: "-force -lock= -state=",
      providers: "-fs-mirror= -json -net-mirror= -platform= -test-directory=",
      version: "-json",
      graph: "-draw-cycles -module-depth= -plan= -type=",
      console: "-plan -state=> -var -var-file=",
      "taint untaint": "-allow-missing -backup=> -ignore-remote-version -lock -lock-timeout= -state=>",
      get: "-no-color -test-directory= -update",
      login: "",
      "force-unlock": "-force",
      test: "-cloud-run= -filter= -json -no-color -test-directory= -var-file= -var= -verbose",
    },
    singleDash: true,
  },
];
