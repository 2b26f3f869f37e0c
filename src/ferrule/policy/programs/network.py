"""Programs that reach other machines; the files they send or fetch are named, so that secrets stay where they are."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import Call, Handler, catastrophe, danger, judged, network, raised, serves
from ferrule.policy.programs.danger import at_risk
from ferrule.policy.programs.options import names, parse, rest_of, spec_of
from ferrule.policy.programs.wrappers import joined

PLAIN = (
    "ping ping6 fping hping3 traceroute tracepath mtr dig nslookup host drill whois telnet ftp tftp lftp sftp nmap "
    "masscan arp-scan arping finger rsh rlogin rcp ab wrk hey siege httpie http https xh aria2c axel youtube-dl yt-dlp "
    "lynx w3m links elinks mail mailx sendmail mutt msmtp swaks rclone s3cmd mc-s3 gsutil azcopy b2 ipfs "
    "transmission-cli qbittorrent ngrok cloudflared localtunnel lt bore frpc chisel tor torsocks proxychains websocat "
    "wscat grpcurl evans psql mysql mysqldump mariadb pg_dump pg_restore redis-cli mongo mongosh mongodump mongoexport "
    "cqlsh influx clickhouse-client kubectl oc helm terraform tofu pulumi ansible ansible-playbook aws gcloud az doctl "
    "linode-cli hcloud heroku vercel netlify fly flyctl railway wrangler firebase supabase gh glab hub jira slack "
    "sentry-cli eksctl kops k9s istioctl argocd flux skaffold vagrant packer consul nomad snmpwalk snmpget ldapsearch "
    "smbclient rpcclient nfsstat showmount irssi weechat zmap amass gobuster nikto sqlmap hydra metasploit msfconsole "
    "responder impacket-smbserver certbot acme.sh dhcping ntpq chronyc"
)
DESTROYS = lazy(
    r"(?i)\b(?:drop\s+(?:database|table|schema|user)|truncate\s+table|delete\s+from|flushall|flushdb|dropDatabase|shutdown|"
    r"delete|destroy|terminate-instances|rb|rm|remove|prune|purge|uninstall|drain|apply|taint|force-unlock)\b",
)
CURL = (
    "words; -# -0 -1 -2 -3 -4 -6 -a -f -g -G -i -I -j -J -k -l -L -M -n -N -O -p -q -R -s -S -v -V -Z -A= -b= -c=> -C= "
    "-d= -D=> -e= -E=< -F= -h=? -H= -K=< -m= -o=> -P= -Q= -r= -t= -T=< -u= -U= -w= -x= -X= -y= -Y= -z= --cacert=< "
    "--cert=< --key=< --config=< --cookie= --cookie-jar=> --data= --data-ascii= --data-binary= --data-raw= "
    "--data-urlencode= --json= --form= --dump-header=> --etag-save=> --output=> --output-dir=> --trace=> "
    "--trace-ascii=> --stderr=> --upload-file=< --netrc-file=< --header= --url= --user= --user-agent= --request= "
    "--referer= --max-time= --connect-timeout= --retry= --proxy= --resolve= --unix-socket= --abstract-unix-socket= "
    "--write-out= --range= --silent --show-error --location --fail --insecure --head --include --verbose --compressed "
    "--get --remote-name --remote-header-name --fail-with-body --create-dirs --no-progress-meter"
)
WGET = (
    "words; -# -4 -6 -b -c -d -F -h -H -k -K -L -m -N -np -nc -nv -nd -nH -p -q -r -S -v -V -x -E -a=> -A= -B= -D= -e= "
    "-i=< -I= -l= -o=> -O=> -P=> -Q= -R= -t= -T= -U= -w= -X= --output-document=> --output-file=> --directory-prefix=> "
    "--post-file=< --body-file=< --post-data= --body-data= --header= --input-file=< --load-cookies=< --save-cookies=> "
    "--user= --password= --method= --quiet --no-check-certificate --recursive --certificate=< --private-key=< "
    "--ca-certificate=<"
)
SSH = (
    "words; -# -4 -6 -a -A -C -f -g -G -k -K -M -n -N -q -s -t -T -v -V -x -X -y -Y -B= -b= -c= -D= -E=> -e= -F= -I= "
    "-i= -J= -L= -l= -m= -O= -o= -p= -P= -Q= -R= -S= -W= -w="
)
COPIES = "copies; -3 -4 -6 -A -B -C -O -p -q -r -R -s -T -v -c= -D= -F= -i= -J= -l= -o= -P= -S= -X="
RSYNC = (
    "copies; -# -0 -4 -6 -8 -a -A -b -c -C -d -D -E -F -g -h -H -i -I -k -K -l -L -m -n -N -o -O -p -P -q -r -R -s -S "
    "-t -u -U -v -W -x -X -y -z -B= -e= -f= -M= -T= --archive --delete --delete-before --delete-after --delete-during "
    "--delete-excluded --delete-missing-args --exclude= --exclude-from=< --include= --include-from=< --files-from=< "
    "--filter= --rsh= --rsync-path= --log-file=> --progress --stats --dry-run --verbose --recursive --compress "
    "--partial --inplace --remove-source-files --info= --backup --backup-dir=> --human-readable --chmod= --chown= "
    "--bwlimit= --port= --times --perms --links --force --update"
)
_REMOTE = lazy(r"(?:[\w.-]+@)?[\w.-]+:|rsync://|\[[0-9a-fA-F:]+\]:")
_SHELL = lazy(r"(?:^|/|\s|:)(?:(?:ba|z|da|k|c|tc|fi|a)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh|python\d?|perl)\b")


def plain(call: Call) -> Knowledge:
    """Programs of which nothing more need be known."""
    text = " ".join(word.text or "" for word in call.words)
    if call.name in _DESTRUCTIVE and DESTROYS.search(text):
        return danger(f"{call.name} may destroy what is on another machine")
    files = [_local(word) for word in call.words if (word.text or "").startswith(("@", "file://"))]
    return network(f"{call.name} reaches the network", reads=files)


_DESTRUCTIVE = names(
    "psql mysql mariadb redis-cli mongo mongosh kubectl oc helm terraform tofu pulumi aws gcloud az doctl gh glab "
    "heroku firebase supabase rclone gsutil s3cmd clickhouse-client vagrant eksctl hcloud linode-cli fly flyctl "
    "nomad consul"
)


def _local(word: Word) -> Word:
    text = word.text or ""
    return rest_of(word, 7 if text.startswith("file://") else 1)


def curl(call: Call) -> Knowledge:
    """`curl`: what is uploaded is read, what is saved is written."""
    uses = parse(call.words, spec_of(CURL))
    for name, value in uses.values:
        start = value.text or value.prefix
        if name in _DATA and ("@" in start):
            uses.reads.append(rest_of(value, start.index("@") + 1))
        elif name in {"-F", "--form"} and ("=<" in start or "=@" in start):
            uses.reads.append(rest_of(value, start.index("=") + 2))
        elif name in {"-b", "--cookie"} and "=" not in start:
            uses.reads.append(value)
    uses.reads += [_local(word) for word in uses.operands if (word.text or "").lower().startswith("file://")]
    knowledge = judged("network", uses, "curl reaches the network")
    if uses.has("--unix-socket", "--abstract-unix-socket"):
        return raised(knowledge, "danger", "curl speaks to a service of this machine")
    return knowledge


_DATA = {"-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "-H", "--header", "-w"}


def wget(call: Call) -> Knowledge:
    """`wget`: it saves what it fetches."""
    uses = parse(call.words, spec_of(WGET))
    return judged("network", uses, "wget reaches the network")


def netcat(call: Call) -> Knowledge:
    """`nc`, `ncat`, `socat`: a shell behind a connection is a way in for others."""
    text = " ".join(word.text or "" for word in call.words)
    options = [word.text or "" for word in call.words if (word.text or "").startswith("-")]
    executes = any(option.startswith(("--exec", "--sh-exec", "--lua-exec")) for option in options)
    clusters = [option for option in options if not option.startswith("--")]
    if call.name == "socat":
        executes = bool(_SOCAT.search(text))
    elif any("e" in option or "c" in option for option in clusters):
        executes = executes or bool(_SHELL.search(text)) or any(option in {"-e", "-c"} for option in clusters)
    if executes:
        return catastrophe(f"{call.name} opens a shell or program to another machine")
    return network(f"{call.name} reaches the network")


_SOCAT = lazy(r"(?i)\b(?:exec|system|shell)\s*:")


def ssh(call: Call) -> Knowledge:
    """`ssh HOST COMMAND`: the command is judged as if it ran here."""
    uses = parse(call.words, spec_of(SSH), leading=True)
    command = tuple(word for word in uses.operands[1:] if word.text != "--")
    knowledge = network(f"{call.name} reaches another machine", writes=uses.writes)
    if any("command" in (value.text or "").lower() for name, value in uses.values if name == "-o"):
        knowledge = raised(knowledge, "danger", "ssh runs a program of this machine")
    if not command:
        return knowledge
    return Knowledge(
        level=knowledge.level,
        reason=knowledge.reason,
        writes=knowledge.writes,
        runs=(Nested(script=joined(command), wrapper=call.name),),
    )


def scp(call: Call) -> Knowledge:
    """`scp`: from here to there, or back."""
    uses = parse(call.words, spec_of(COPIES))
    uses.reads = [word for word in uses.reads if not _REMOTE.match(word.text or "")]
    uses.writes = [word for word in uses.writes if not _REMOTE.match(word.text or "")]
    return judged("network", uses, f"{call.name} copies files between machines")


def rsync(call: Call) -> Knowledge:
    """`rsync`: with `--delete` the target loses what the source does not have."""
    uses = parse(call.words, spec_of(RSYNC))
    remote = [word for word in uses.operands if _REMOTE.match(word.text or "")]
    deletes = any(name.startswith(("--del", "--remove-s")) for name in (*uses.given, *uses.unknown))
    risked = [*uses.writes, *(uses.reads if uses.has("--remove-source-files") else ())]
    if deletes and (lost := at_risk(risked, call)):
        return catastrophe(f"rsync would empty {lost}")
    if uses.has("-e", "--rsh", "--rsync-path"):
        return danger("rsync runs another program", reads=uses.reads, writes=uses.writes)
    uses.reads = [word for word in uses.reads if word not in remote]
    uses.writes = [word for word in uses.writes if word not in remote]
    if remote:
        return judged("danger" if deletes else "network", uses, "rsync copies files between machines")
    if deletes:
        return judged("danger", uses, "rsync removes what the source does not have")
    return judged("changes", uses, "rsync copies files")


def kubectl(call: Call) -> Knowledge:
    """`kubectl exec POD -- COMMAND` runs a command elsewhere."""
    knowledge = plain(call)
    if "exec" in call.texts and "--" in call.texts:
        words = call.words[call.texts.index("--") + 1 :]
        return Knowledge(
            level=knowledge.level, reason=knowledge.reason, runs=(Nested(words=words, wrapper=f"{call.name} exec"),)
        )
    return knowledge


HANDLERS: dict[str, Handler] = {
    **serves(PLAIN, plain),
    **serves(
        "nc ncat netcat nc.openbsd nc.traditional socat pwncat",
        netcat,
    ),
    **serves("ssh autossh mosh sshpass dbclient", ssh),
    **serves("scp pscp", scp),
    **serves("kubectl oc", kubectl),
    "curl": curl,
    "wget": wget,
    "rsync": rsync,
}
