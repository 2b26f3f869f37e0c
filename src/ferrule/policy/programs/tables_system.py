"""Programs that tell about the machine, and the versions of tools: harmless with these options."""

SYSTEM = {
    "id": "tame words; -a -A -F -g -G -n -p -P -r -u -z -Z --context --group --groups --name --real --user --zero",
    "whoami": "tame words;",
    "groups": "tame words;",
    "logname": "tame words;",
    "users": "tame words;",
    "tty": "tame words; -s --quiet --silent",
    "who": "tame words; -a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --heading --login --users --ips",
    "w": "tame words; -f -h -i -o -s -u --from --ip-addr --no-header --old-style --short",
    "last": (
        "tame words; -# -a -F -i -n= -R -s= -t= -w -x -y --fulltimes --hostlast --limit= --since= --until= --system"
    ),
    "lastlog": "words; -b= -t= -u= --before= --time= --user=",
    "uptime": "tame words; -p -s --pretty --since",
    "uname": (
        "tame words; -a -i -K -m -n -o -p -r -s -U -v --all --hardware-platform --kernel-name --kernel-release "
        "--kernel-version --machine --nodename --operating-system --processor"
    ),
    "arch": "tame words;",
    "nproc": "tame words; --all --ignore=",
    "getconf": "tame words; -a -v=",
    "sw_vers": "tame words; -productName -productVersion -buildVersion",
    "lsb_release": "tame words; -a -c -d -i -r -s -v --all --codename --description --id --release --short",
    "free": (
        "tame words; -b -c= -g -h -k -l -L -m -s= -t -v -w --bytes --count= --gibi --giga --gigabytes --human "
        "--kibi --kilo --lohi --mebi --mega --seconds= --si --total --wide"
    ),
    "vmstat": (
        "tame words; -a -d -D -f -m -n -p= -s -S= -t -w -y --active --disk --disk-sum --forks --one-header "
        "--slabs --stats --timestamp --unit= --wide"
    ),
    "vm_stat": "tame words; -c=",
    "iostat": "tame words; -# -c -d -h -j= -k -m -N -p=? -s -t -x -y -z -o= --human --pretty -w= -C -I -K -n= -T -U",
    "mpstat": "tame words; -A -I= -N= -n -o= -P= -T -u",
    "pidstat": "words; -C= -d -G= -h -H -I -l -p= -r -R -s -t -T= -u -U=? -v -w --human",
    "ps": (
        "tame words; -# -a -A -c -C= -d -D= -e -f -F -g= -G= -h -H -j -k= -l -L -M -m -n -N -o= -O= -p= -q= -r "
        "-s= -S -t= -T -u=? -U= -v -V -w -W= -x -X -y -Z --columns= --cols= --cumulative --deselect --forest "
        "--format= --group= --Group= --headers --lines= --no-headers --noheaders --no-heading --noheading "
        "--pid= --ppid= --quick-pid= --rows= --sid= --sort= --tty= --user= --User= --width= --context --info"
    ),
    "pgrep": (
        "tame words; -a -A -c -d= -f -F=< -g= -G= -i -I -l -L -n -o -O= -P= -q -r= -s= -t= -u= -U= -v -w -x "
        "--cgroup= --count --delimiter= --euid= --exact --full --group= --ignore-case --inverse --lightweight "
        "--list-full --list-name --newest --ns= --nslist= --oldest --older= --parent= --pgroup= --pidfile=< "
        "--runstates= --session= --terminal= --uid="
    ),
    "pidof": "tame words; -c -n -o= -q -s -S= -w -x -z",
    "pstree": (
        "tame words; -a -A -c -C= -g -G -h -H= -l -n -N= -p -s -S -t -T -u -U -V -Z --arguments --ascii "
        "--compact-not --long --numeric-sort --show-parents --show-pgids --show-pids --thread-names --unicode"
    ),
    "lsof": (
        "words; -# -a -b -c= -C -d= -F=? -g=? -h -H -i=? -I -l -L=? -n -N -o -O -p= -P -R -s=? -S=? -t -T=? -u= "
        "-U -v -V -w -x=? -X -e= +d= +D="
    ),
    "fuser": (
        "words; -a -c -f -n= -l -m -M -s -u -v -4 -6 --all --ipv4 --ipv6 --list-signals --mount --namespace= "
        "--silent --user --verbose"
    ),
    "lscpu": (
        "tame words; -a -b -B -c -C=? -e=? -J -p=? -s= -x -y --all --bytes --caches=? --extended=? --hex --json "
        "--offline --online --output-all --parse=? --physical --sysroot="
    ),
    "lsblk": (
        "tame words; -a -A -b -d -D -e= -E= -f -i -I= -J -l -m -M -n -N -o= -O -p -P -r -s -S -t -T=? -v -w= "
        "-x= -z --all --ascii --bytes --fs --include= --inverse --json --list --nodeps --noheadings --output= "
        "--output-all --pairs --paths --perms --raw --scsi --sort= --topology --tree=? --exclude="
    ),
    "lsmem": "tame words; -a -b -J -n -o= -P -r --all --bytes --json --summary=?",
    "lsmod": "tame words;",
    "modinfo": (
        "tame words; -0 -a -b= -d -F= -k= -l -n -p --author --description --field= --filename --license --parameters"
    ),
    "lspci": "words; -b -D -k -m -mm -n -nn -P -PP -s= -d= -t -v -vv -vvv -x -xx -i=<",
    "lsusb": "words; -d= -D= -s= -t -v --tree --verbose",
    "lsns": "tame words; -J -l -n -o= -p= -r -t= -u -W --json --list --noheadings --output= --type=",
    "lslocks": "tame words; -J -n -o= -p= -r -u --json --output=",
    "lslogins": "tame words; -a -u -s -g= -l= -o= -J",
    "lsipc": "tame words; -c -g -i= -J -m -n -o= -q -s -t",
    "findmnt": (
        "tame words; -A -a -b -c -C -D -d= -e -f -F=< -i -J -k -l -M= -m -n -N= -o= -O= -P -r -R -s -S= -t= -T= "
        "-u -U -v -x --all --df --fstab --json --kernel --list --mtab --noheadings --output= --output-all "
        "--pairs --raw --real --source= --target= --types= --verify"
    ),
    "mountpoint": "tame lists; -d -q -x --devno --fs-devno --nofollow --quiet",
    "blkid": "none;",
    "dmesg": (
        "words; -d -e -f= -F=< -h -H -k -K=< -l= -L=? -P -p -r -s= -S -t -T -u -V -w -W -x --buffer-size= "
        "--color=? --ctime --decode --facility= --file=< --follow --follow-new --human --json --kernel --level= "
        "--nopager --noescape --notime --raw --reltime --show-delta --since= --time-format= --until= "
        "--userspace"
    ),
    "printenv": "tame words; -0 --null",
    "locale": "tame words; -a -c -k -m --all-locales --category-name --charmaps --keyword-name --verbose",
    "tput": "tame words; -S -T= -x",
    "infocmp": "tame words; -1 -c -d -n -x -L -C -I",
    "clear": "tame words; -T= -x",
    "cpuid": "tame words; -1 -r",
    "sensors": "tame words; -A -f -j -u --no-adapter",
    "acpi": "tame words; -a -b -c -i -s -t -V",
    "nvidia-smi": (
        "none; -L -q -i= -d= -x --list-gpus --query --query-gpu= --query-compute-apps= --format= --id= "
        "--display= -l= --loop="
    ),
    "ss": (
        "words; -# -0 -4 -6 -a -A= -b -e -E -f= -F=< -H -i -l -m -M -n -N= -o -O -p -P -s -t -T -u -w -x -Z -z "
        "--all --dccp --events --extended --family= --filter=< --info --ipv4 --ipv6 --listening --memory "
        "--no-header --numeric --oneline --options --packet --processes --query= --raw --sctp --socket= "
        "--summary --tcp --udp --unix"
    ),
    "netstat": (
        "words; -4 -6 -a -A= -b -c -C -e -f= -F -g -i -I= -l -L -m -M -n -N -o -p -r -R -s -t -T -u -v -w -W -x "
        "-X --all --continuous --extend --groups --interfaces --listening --masquerade --numeric "
        "--numeric-hosts --numeric-ports --numeric-users --program --raw --route --statistics --symbolic --tcp "
        "--timers --udp --unix --verbose --wide"
    ),
    "arp": "none; -a -e -n -v",
    "times": "tame words;",
    "jobs": "words; -l -n -p -r -s",
    "dirs": "tame words; -c -l -p -v",
    "caller": "tame words;",
    "ulimit": "tame words; -# -a -b -c -d -e -f -H -i -k -l -m -n -P -p -q -r -R -S -s -T -t -u -v -x",
    "cd": "tame words; -@ -e -L -P",
    "pushd": "tame words; -n",
    "popd": "tame words; -n",
    "shift": "text",
    "return": "text",
    "exit": "text",
    "break": "text",
    "continue": "text",
}

VERSIONS = (
    "node nodejs deno bun python python2 python3 pypy pypy3 ruby perl php lua luajit java javac jshell kotlin "
    "kotlinc scala groovy swift swiftc go gcc g++ cc c++ clang clang++ gfortran ghc cabal "
    "ocaml opam erl elixir R Rscript julia dart mono zig nim crystal tsc npm pip pip2 pip3 pipx uv "
    "poetry pdm conda mamba make gmake cmake ctest ninja meson gradle ant git hg svn docker podman kubectl "
    "helm terraform aws gcloud az gh brew apt apt-get dpkg rpm yum dnf pacman apk snap flatpak nix bash sh zsh "
    "dash ksh fish tmux screen vim nvim emacs nano code sqlite3 psql mysql redis-cli mongo mongosh nginx curl "
    "wget ssh rsync openssl gpg tar gzip zip unzip sed gsed awk gawk mawk jq yq rg fd ag bat eza exa tree find "
    "grep ffmpeg convert pandoc ld as gdb lldb valgrind strace ldd protoc clang-format clang-tidy shellcheck "
    "hadolint ruff black mypy isort bandit pyright virtualenv pre-commit golangci-lint "
    "gofmt gopls yamllint markdownlint composer gem xcodebuild xcrun tofu pulumi minikube kind k9s skaffold "
    "fnm asdf mise pyenv rbenv direnv bwrap hugo ccache cloc less more man xargs busybox sudo "
    "cargo rustc rustup rustfmt yarn pnpm dotnet"
)
"""Tools whose version may be asked for.

Some of these let a project name the program that answers (yarn's own release, rust-toolchain.toml, global.json); it
runs confined then, and everybody asks for versions.
"""
OTHER_VERSION_WORDS = {
    "-v": "node nodejs npm ruby lua php perl bun nginx gcc clang zig tsc make gmake",
    "-V": (
        "python python2 python3 pypy pypy3 pip pip2 pip3 uv poetry ruff mypy ssh curl wget tmux rg fd bat jq less make"
    ),
    "-version": "java javac kotlin kotlinc scala groovy ant ffmpeg convert xcodebuild",
    "--versions": "node",
    "version": "go helm openssl gh npm zig hugo",
    "-dumpversion": "gcc g++ clang",
    "-dumpmachine": "gcc g++ clang",
    "-VV": "python python3",
    "--numeric-version": "ghc",
    "-h": "node npm pip uv",
    "help": "npm pip go uv",
}
