import type { OptionTable } from "../option-table.ts";

/** ssh with options that start nothing and read no other settings. */
const SSH =
  /^ssh(?:\s+-(?:[46ACTqx]+|[pil]\s*[\w./~@-]+|o\s*(?:StrictHostKeyChecking|ConnectTimeout|BatchMode|Port|User|Compression)[= ]\w+))*$/;

/** Options of programs that fetch, copy and pack. */
export const TRANSFER_OPTIONS: readonly OptionTable[] = [
  {
    name: "curl",
    flags: `-# -0 -1 -2 -3 -4 -6 -a -A= -B -b= -C= -c=> -d= -D=> -E= -e= -f -F= -G -g -H= -h= -I -i -J! -j -k -K=! -L -l -M -m= -N -n -O -o=> -p -P= -q -Q=
      -R -r= -S -s -T= -t= -U= -u= -V -v -w= -x= -X= -Y= -y= -Z -z= --abstract-unix-socket=! --alt-svc=> --anyauth --append --aws-sigv4= --basic
      --ca-native --cacert= --capath= --cert-status --cert-type= --cert= --ciphers= --compressed --compressed-ssh --config=! --connect-timeout=
      --connect-to= --continue-at= --cookie-jar=> --cookie= --create-dirs --create-file-mode= --crlf --crlfile= --curves= --data-ascii= --data-binary=
      --data-raw= --data-urlencode= --data= --delegation= --digest --disable --disable-eprt --disable-epsv --disallow-username-in-url
      --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers= --doh-cert-status --doh-insecure --doh-url= --dump-ca-embed --dump-header=>
      --ech= --egd-file= --engine=! --etag-compare= --etag-save=> --expand-url= --expect100-timeout= --fail --fail-early --fail-with-body
      --false-start --follow --form-escape --form-string= --form= --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv
      --ftp-port= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode= --ftp-ssl-control --get --globoff --happy-eyeballs-timeout-ms=
      --haproxy-clientip= --haproxy-protocol --head --header= --hostpubmd5= --hostpubsha256= --hsts=> --http0.9 --http1.0 --http1.1 --http2
      --http2-prior-knowledge --http3 --http3-only --ignore-content-length --include --insecure --interface= --ip-tos= --ipfs-gateway= --ipv4 --ipv6
      --json= --junk-session-cookies --keepalive-cnt= --keepalive-time= --key-type= --key= --krb= --libcurl=> --limit-rate= --list-only --local-port=
      --location --location-trusted --login-options= --mail-auth= --mail-from= --mail-rcpt-allowfails --mail-rcpt= --manual --max-filesize=
      --max-redirs= --max-time= --metalink --mptcp --negotiate --netrc --netrc-file= --netrc-optional --no-alpn --no-buffer --no-clobber
      --no-keepalive --no-npn --no-progress-meter --no-sessionid --noproxy= --ntlm --ntlm-wb --oauth2-bearer= --out-null --output-dir=> --output=>
      --parallel-immediate --parallel-max= --parallel --pass= --path-as-is --pinnedpubkey= --post301 --post302 --post303 --preproxy= --progress-bar
      --proto-default= --proto-redir= --proto= --proxy= --proxy-anyauth --proxy-basic --proxy-ca-native --proxy-cacert= --proxy-capath=
      --proxy-cert-type= --proxy-cert= --proxy-ciphers= --proxy-crlfile= --proxy-digest --proxy-header= --proxy-insecure --proxy-key-type=
      --proxy-key= --proxy-negotiate --proxy-ntlm --proxy-pass= --proxy-pinnedpubkey= --proxy-service-name= --proxy-ssl-allow-beast
      --proxy-ssl-auto-client-cert --proxy-tls13-ciphers= --proxy-tlsauthtype= --proxy-tlspassword= --proxy-tlsuser= --proxy-tlsv1 --proxy-user=
      --proxy1.0= --proxytunnel --pubkey= --quote= --random-file= --range= --rate= --raw --referer= --remote-header-name! --remote-name
      --remote-name-all --remote-time --remove-on-error --request-target= --request= --resolve= --retry-all-errors --retry-connrefused --retry-delay=
      --retry-max-time= --retry= --sasl-authzid= --sasl-ir --service-name= --show-error --sigalgs= --silent --skip-existing --socks4= --socks4a=
      --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service= --socks5-hostname= --socks5= --speed-limit= --speed-time= --ssl
      --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd --ssl-revoke-best-effort --ssl-sessions=> --sslv2 --sslv3 --stderr=>
      --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay --telnet-option= --tftp-blksize= --tftp-no-options --time-cond=
      --tls-earlydata --tls-max= --tls13-ciphers= --tlsauthtype= --tlspassword= --tlsuser= --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3
      --tr-encoding --trace-ascii=> --trace-config= --trace-ids --trace-time --trace=> --unix-socket=! --upload-file= --upload-flags= --url-query=
      --url= --use-ascii --user-agent= --user= --variable= --verbose --vlan-priority= --write-out= --xattr`,
    downloads: { beside: ["-O", "--remote-name", "--remote-name-all"], address: ["--url"], into: ["--output-dir"] },
    refused: [[/^(?:-w|--write-out)$/, /%output\{/]],
  },
  {
    name: "wget",
    flags: `-4 -6 -A= -a=> -b -B= -c -d -D= -E -e=! -F -H -h -I= -i= -K -k -L -l= -m! -N -nc -nd! -nH! -np -nv -O=> -o=> -p! -P=> -q -Q= -r! -R= -S -T= -t= -U=
      -V -v -w= -x! -X= --accept-regex= --accept= --adjust-extension --append-output=> --ask-password --auth-no-challenge --background
      --backup-converted --backups= --base= --bind-address= --body-data= --body-file= --ca-certificate= --ca-directory= --certificate-type=
      --certificate= --ciphers= --compression= --config=! --connect-timeout= --content-disposition! --content-on-error --continue --convert-file-only
      --convert-links --crl-file= --cut-dirs= --debug --default-page=> --delete-after --directory-prefix=> --dns-timeout= --domains=
      --exclude-directories= --exclude-domains= --execute=! --follow-ftp --follow-tags= --force-directories! --force-html --ftp-password= --ftp-user=
      --ftps-clear-data-connection --ftps-fallback-to-ftp --ftps-implicit --ftps-resume-ssl --header= --hsts-file=> --http-password= --http-user=
      --https-only --ignore-case --ignore-length --ignore-tags= --include-directories= --inet4-only --inet6-only --input-file= --keep-session-cookies
      --level= --limit-rate= --load-cookies= --local-encoding= --max-redirect --method= --mirror! --no-cache --no-check-certificate --no-clobber
      --no-cookies --no-directories! --no-dns-cache --no-glob --no-host-directories! --no-hsts --no-http-keep-alive --no-if-modified-since --no-iri
      --no-netrc --no-parent --no-passive-ftp --no-proxy --no-remove-listing --no-use-server-timestamps --no-warc-compression --no-warc-digests
      --no-warc-keep-log --output-document=> --output-file=> --page-requisites! --password= --pinnedpubkey= --post-data= --post-file= --prefer-family=
      --preserve-permissions --private-key-type= --private-key= --progress= --protocol-directories --proxy-password= --proxy-user= --quiet --quota=
      --random-wait --read-timeout= --recursive! --referer= --regex-type= --reject-regex= --reject= --rejected-log=> --relative --remote-encoding=
      --report-speed= --restrict-file-names= --retr-symlinks --retry-connrefused --retry-on-http-error= --save-cookies=> --save-headers
      --secure-protocol= --server-response --show-progress --span-hosts --spider --start-pos= --strict-comments --timeout= --timestamping --tries=
      --trust-server-names! --unlink --use-askpass=! --user-agent= --user= --verbose --wait= --waitretry= --warc-cdx --warc-dedup= --warc-file=>
      --warc-header= --warc-max-size= --warc-tempdir=> --xattr`,
    downloads: {
      unless: ["-O", "--output-document", "--spider", "--delete-after"],
      into: ["-P", "--directory-prefix"],
    },
  },
  {
    name: "rsync",
    flags: `-0 -4 -6 -8 -@= -A -a -b -B= -C -c -D -d -E -e=! -F -f= -g -H -h -I -i -J -K -k -L -l -m -M=! -N -n -O -o -P -p -q -R -r -S -s -t -T=> -U -u -V
      -v -W -X -x -y -z --8-bit-output --acls --address= --append --append-verify --archive --atimes --backup --backup-dir=> --block-size=
      --blocking-io --bwlimit= --checksum --checksum-choice= --checksum-seed= --chmod= --chown= --compare-dest= --compress --compress-choice=
      --compress-level= --compress-threads= --contimeout= --copy-as= --copy-dest= --copy-dirlinks --copy-links --copy-unsafe-links --crtimes
      --cvs-exclude --debug= --del --delay-updates --delete --delete-after --delete-before --delete-delay --delete-during --delete-excluded
      --delete-missing-args --devices --dirs --drop-D --dry-run --early-input=! --exclude-from= --exclude= --executability --existing --fake-super
      --files-from= --filter= --force --from0 --fsync --fuzzy --group --groupmap= --hard-links --human-readable --i-r --iconv= --ignore-errors
      --ignore-existing --ignore-missing-args --ignore-non-existing --ignore-times --inc-recursive --include-from= --include= --info= --inplace --ipv4
      --ipv6 --itemize-changes --keep-dirlinks --link-dest= --links --list-only --log-file-format= --log-file=> --max-alloc= --max-delete= --max-size=
      --min-size= --mkpath --modify-window= --munge-links --no-group --no-implied-dirs --no-motd --no-OPTION --no-owner --no-perms --no-W
      --numeric-ids --old-args --old-d --old-dirs --omit-dir-times --omit-link-times --one-file-system --only-write-batch=> --open-noatime
      --out-format= --outbuf= --owner --partial --partial-dir=> --password-file= --perms --port= --preallocate --progress --protect-args --protocol=
      --prune-empty-dirs --quiet --read-batch= --recursive --relative --remote-option=! --remove-source-files --rsh=! --rsync-path=! --safe-links
      --secluded-args --size-only --skip-compress= --sockopts= --sparse --specials --stats --stderr= --stop-after= --stop-at= --suffix= --super
      --temp-dir=> --timeout= --times --trust-sender --update --usermap= --verbose --whole-file --write-batch=> --xattrs --zl=`,
    plain: [[/^(?:-e|--rsh)$/, SSH]],
  },
  {
    name: "tar",
    flags: `-A -a -B -b20= -b= -c -C= -d -f= -F=! -G -g=> -h -H= -i -I=! -J -j -k -K= -l -L= -M -m -n -N= -O -o -p -P! -R -r -S -s -t -T= -U -u -v -V= -W -w
      -x -X= -Z -z --absolute-names! --acls --add-file= --after-date= --anchored --append --atime-preserve? --auto-compress --backup? --block-number
      --blocking-factor= --bzip2 --catenate --check-device --check-links --checkpoint-action=! --checkpoint? --clamp-mtime --compare --compress
      --concatenate --confirmation --create --delay-directory-restore --delete --dereference --diff --directory= --exclude-backups --exclude-caches
      --exclude-caches-all --exclude-caches-under --exclude-from= --exclude-ignore-recursive= --exclude-ignore= --exclude-standard --exclude-tag-all=
      --exclude-tag-under= --exclude-tag= --exclude-vcs --exclude-vcs-ignores --exclude= --extract --file= --files-from= --force-local --format=
      --full-time --get --group-map= --group= --gunzip --gzip --hard-dereference --hole-detection= --ignore-case --ignore-command-error
      --ignore-failed-read --ignore-zeros --incremental --index-file=> --info-script=! --interactive --keep-directory-symlink --keep-newer-files
      --keep-old-files --label= --level= --list --listed-incremental=> --lzip --lzma --lzop --mode= --mtime= --multi-volume --new-volume-script=!
      --newer-mtime= --newer= --no-acls --no-anchored --no-auto-compress --no-check-device --no-ignore-case --no-null --no-quote-chars= --no-recursion
      --no-same-owner --no-same-permissions --no-seek --no-unquote --no-wildcards --no-xattrs --null --numeric-owner --occurrence? --old-archive
      --one-file-system --one-top-level? --overwrite --overwrite-dir --owner-map= --owner= --pax-option= --portability --posix --preserve-order
      --preserve-permissions --quote-chars= --quoting-style= --read-full-records --record-size= --recursion --recursive-unlink --remove-files
      --restrict --rmt-command=! --rsh-command=! --same-order --same-owner --same-permissions --seek --selinux --show-defaults --show-omitted-dirs
      --show-snapshot-field-ranges --show-stored-names --show-transformed-names --skip-old-files --sort= --sparse --sparse-version= --starting-file=
      --strip-components= --strip= --suffix= --tape-length= --test-label --to-command=! --to-stdout --totals? --touch --transform= --uncompress
      --ungzip --unlink-first --unquote --update --usage --use-compress-program=! --utc --verbatim-files-from --verbose --verify --volno-file=>
      --warning= --wildcards --wildcards-match-slash --xattrs --xattrs-exclude= --xattrs-include= --xform= --xz --zstd`,
    bundledFirst: true,
  },
  {
    name: "zip",
    flags: `-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -@ -A -AC -AS -b=> -c -D -d -db -dc -dd -DF -dg -ds -du -dv -e -F -f -FF -FS -g -h2 -i= -ic -J -j -k -l -la -lf=>
      -li -ll -m -MM -n= -nw -o -P= -q -R -r -RE -S -s= -sb -sc -sd -sf -so -sp -sU -su -sv -T -t= -tt= -TT=! -U -u -UN= -v -w -ws -X -x= -y -z -Z=
      --out=>`,
  },
  {
    name: "unzip",
    flags: `-1 -2 -: -A -a -aa -B -b -C -c -D -d=> -DD -E -F -f -h -hh -i -I= -J -j -K -L -l -LL -M -m -N -n -o -O= -p -P= -q -qq -S -s -T -t -U -u -UU? -V
      -v -W -X -x= -XX -Y -Z -z -Z1`,
  },
  {
    name: "scp",
    flags: "-3 -4 -6 -A -B -C -c= -D=! -F=! -i= -J= -l= -O -o=! -P= -p -q -R -r -S=! -s -T -v -X=",
  },
  {
    name: "sftp",
    flags: "-4 -6 -A -a -B= -b=! -C -c= -D=! -F=! -f -i= -J= -l= -N -o=! -P= -p -q -R= -r -S=! -s=! -v -X=",
    readsCommands: { unless: ["-b"], code: /^\s*!/m },
  },
];
