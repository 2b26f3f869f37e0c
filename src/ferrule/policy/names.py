"""Which names on a machine hold secrets, and which ones other programs obey: data, for the policy and the sandbox.

A name may have one `*` in its last part. What lies below a name belongs to it.
"""

HOME_SECRETS = (
    # keys and tokens of programs
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".oci",
    ".aliyun",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/gcloud",
    ".config/doctl",
    ".config/rclone",
    ".config/sops",
    ".config/age",
    ".config/containers/auth.json",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/pypoetry/auth.toml",
    ".config/composer/auth.json",
    ".composer/auth.json",
    ".docker/config.json",
    ".fly",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials*",
    ".gem/credentials",
    ".m2/settings*",
    ".gradle/gradle.properties",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".ferrule.json",
    # wallets and browsers
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/op",
    ".config/1Password",
    ".config/Bitwarden*",
    ".config/keepassxc",
    ".config/google-chrome*",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge*",
    ".config/vivaldi*",
    ".config/opera*",
    ".mozilla",
    ".thunderbird",
    ".pki",
    ".bitcoin",
    ".ethereum",
    ".electrum",
    "snap/firefox",
    "snap/chromium",
    "Library/Keychains",
    "Library/Cookies",
    "Library/Safari",
    "Library/Messages",
    "Library/Mail",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Application Support/Chromium",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    # what was typed
    ".*_history",
    ".histfile",
    ".lesshst",
    ".viminfo",
    ".local/share/fish/fish_history",
    ".local/state/python_history",
    # the way into a graphical session
    ".Xauthority",
    ".ICEauthority",
)
"""Below every home directory: neither read nor listed nor written."""

SYSTEM_SECRETS = (
    "etc/shadow*",
    "etc/gshadow*",
    "etc/sudoers*",
    "etc/master.passwd",
    "etc/security/opasswd",
    "etc/krb5.keytab",
    "etc/ssh/*_key",
    "etc/ssl/private",
    "etc/pki/tls/private",
    "etc/letsencrypt",
    "etc/wireguard",
    "etc/NetworkManager/system-connections",
    "etc/kubernetes",
    "etc/ferrule",
    "var/lib/sss/secrets",
    "var/db/dslocal",
    "run/secrets",
    "var/run/secrets",
    "run/credentials",
    "run/docker.sock",
    "var/run/docker.sock",
    "run/containerd",
    "run/podman",
    "proc/kcore",
    "proc/kmsg",
    "proc/kallsyms",
    "proc/sysrq-trigger",
    "dev/mem",
    "dev/kmem",
    "dev/port",
    "dev/kmsg",
    "dev/input",
    "dev/uinput",
    "dev/hidraw*",
    "dev/vcs*",
)
"""Below the root directory: neither read nor listed nor written."""

HOMES = ("home", "users")
"""Directories of home directories, folded; `/root` is one itself."""

KEY_NAMES = frozenset({"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"})
"""Private keys wherever they lie, also with `.bak` or the like behind the name; `.pub` is the public half."""
KEY_SUFFIXES = (".ppk", ".kdbx")

ENVIRONMENT_EXAMPLES = frozenset({"example", "sample", "template", "dist", "defaults", "schema", "tpl"})
"""`.env.example` and the like hold no secrets; every other `.env…` is likely to."""

PROCESS_HARMLESS = frozenset({"status", "stat", "statm", "mounts", "mountinfo", "cgroup", "limits", "comm", "net"})
"""What `/proc` may tell about a process; the rest shows its secrets, or leads into its memory and its files."""

PROTECTED_BELOW_HOME = (
    ".config/git",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".config/Code/User",
    ".local/share/applications",
    ".local/bin",
    "Library/LaunchAgents",
)
"""The same wherever these names follow each other, but not for the sandbox: what runs later on, mostly at home."""

SYSTEM_PLACES = (
    "/etc/",
    "/boot/",
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/dev/",
    "/proc/",
    "/sys/",
    "/system/",
    "/library/",
    "/private/etc/",
    "/var/spool/cron/",
)
"""Directories of the system, folded: written only with leave."""

READABLE_PLACES = (
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/libx32/",
    "/opt/",
    "/nix/",
    "/sys/",
    "/System/",
    "/Library/",
    "/tmp/",  # noqa: S108 - named, not used
    "/var/tmp/",  # noqa: S108
    "/private/tmp/",
    "/private/var/tmp/",
    "/var/folders/",
    "/private/var/folders/",
)
"""Beside the project, what a confined command that only reads may read."""

READABLE_FILES = frozenset(
    {
        "/etc/os-release",
        "/etc/lsb-release",
        "/etc/debian_version",
        "/etc/alpine-release",
        "/etc/redhat-release",
        "/etc/fedora-release",
        "/etc/issue",
        "/etc/hostname",
        "/etc/timezone",
        "/etc/localtime",
        "/etc/locale.conf",
        "/etc/shells",
        "/etc/mime.types",
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/version",
        "/proc/loadavg",
        "/proc/uptime",
        "/proc/stat",
        "/proc/filesystems",
        "/proc/mounts",
        "/proc/swaps",
        "/proc/diskstats",
        "/proc/partitions",
    }
)
"""Single files that such a command may read as well."""

SINKS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"})
"""Where a shell command may always write: nowhere, or to its own output."""
SOURCES = frozenset({*SINKS, "/dev/stdin", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
"""Where a shell command may always read from, beside the descriptors that it has (`/dev/fd/3`)."""
