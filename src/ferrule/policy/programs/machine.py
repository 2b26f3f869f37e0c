"""Programs that act on the machine itself: disks, power, the kernel, accounts, services, the desktop."""

from ferrule.policy.command import Knowledge
from ferrule.policy.programs.answers import HARMLESS, Call, Handler, by_table, catastrophe, changes, danger, serves
from ferrule.policy.programs.options import names
from ferrule.policy.programs.places import doomed

POWER = "reboot shutdown halt poweroff pm-suspend pm-hibernate systemd-reboot"
KERNEL = "insmod rmmod modprobe kexec kmod kextload kextunload"
DISK = (
    "mkfs mke2fs mkswap mkdosfs mkntfs newfs newfs_apfs newfs_hfs blkdiscard diskpart flashrom nwipe scrub fdformat "
    "dban"
)
"""They overwrite disks, whatever their options."""
VOLUMES = "lvremove vgremove pvremove pvcreate vgcreate"
"""The same of volumes, which have names instead of files."""
PARTITIONS = "fdisk sfdisk gdisk sgdisk parted cfdisk cgdisk gpart partx"
LISTING = {"-l", "--list", "-s", "-x", "-h", "--help", "-V", "--version", "-v", "print", "-p", "--print", "-L"}
RISKY = {
    "changes the disks of the machine": (
        "tune2fs e2fsck fsck resize2fs xfs_repair xfs_growfs btrfs swaplabel partprobe growpart fstrim lvcreate "
        "lvresize lvextend lvreduce vgextend vgreduce e2label efibootmgr grub-install update-grub grub-mkconfig "
        "update-initramfs dracut mkinitcpio smartctl bcdedit bootsect nvram kpartx dmsetup iscsiadm"
    ),
    "changes accounts or who may do what": (
        "userdel useradd usermod adduser deluser groupadd groupdel groupmod addgroup delgroup passwd chpasswd gpasswd "
        "chage chfn chsh vipw vigr visudo newusers pwconv dscl dseditgroup sysadminctl net icacls takeown setcap "
        "setenforce semanage setsebool aa-disable aa-teardown csrutil spctl authselect pam-auth-update faillock"
    ),
    "changes the firewall or the network of the machine": (
        "iptables ip6tables iptables-restore nft ufw firewall-cmd ebtables arptables pfctl tc brctl wpa_cli nmcli "
        "networksetup netplan resolvectl dhclient wg wg-quick tailscale netsh ifup ifdown ethtool iwconfig"
    ),
    "changes what runs by itself": (
        "at batch atrm launchctl service rc-service rc-update update-rc.d chkconfig initctl svcadm supervisorctl "
        "schtasks sc systemd-run run-one loginctl-session brew-services pm2"
    ),
    "changes settings of the machine": (
        "reg vssadmin wmic cipher pmset scutil systemsetup tmutil softwareupdate update-alternatives dpkg-reconfigure "
        "debconf-set-selections locale-gen hwclock ntpdate timedatectl-set ldconfig depmod sysrq authconfig "
        "gsettings dconf xrandr setxkbmap auditctl logrotate"
    ),
    "acts on the desktop or other programs": (
        "osascript open xdg-open gio gnome-open kde-open start explorer screencapture scrot import xdotool ydotool "
        "wmctrl automator say cliclick shortcuts xclip xsel wl-copy wl-paste pbpaste pbcopy notify-send"
    ),
    "handles keys and secrets": (
        "security gpg gpg2 gpg-agent gpgconf ssh-add ssh-agent ssh-keygen ssh-copy-id pass op bw vault lpass keychain "
        "secret-tool kwallet-query gopass age sops certutil keytool openssl-req chainsaw hashcat john"
    ),
    "looks into other programs": "gcore ptrace criu reptyr bpftrace bpftool tcpdump tshark wireshark dtrace dtruss",
}
"""Why these ask even where changes do not, and which they are."""
PLACES_ERASED = "eraseDisk eraseVolume eraseOptical partitionDisk zeroDisk randomDisk secureErase reformat"
ENDS = {"poweroff", "reboot", "halt", "kexec", "soft-reboot", "exit", "rescue", "emergency", "isolate"}
SHOWS = names(
    "status show cat help is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers "
    "list-sockets list-jobs list-dependencies list-machines get-default"
)
OTHER_SHOWS = names(
    "status show list-sessions list-users list-seats session-status user-status list-timezones list-locales"
)
"""The same of `loginctl`, `timedatectl` and their kin."""


def ends_the_machine(call: Call) -> Knowledge:
    """Power: the machine goes down."""
    return catastrophe(f"{call.name} stops the machine")


def changes_the_kernel(call: Call) -> Knowledge:
    """Modules and kernels are loaded or taken out."""
    if call.name == "kmod" and call.texts[:1] in {("list",), ("--version",)}:
        return HARMLESS
    return catastrophe(f"{call.name} changes the running kernel")


def overwrites_a_disk(call: Call) -> Knowledge:
    """A file system is made, or a disk wiped; in a plain file that is no catastrophe."""
    operands = [text for text in call.texts if text is None or not text.startswith("-")]
    last = operands[-1] if operands else None
    if last and "/" in last and not last.startswith(("/dev", "//")) and ".." not in last:
        return danger(f"{call.name} makes a file system in {last}")
    return catastrophe(f"{call.name} overwrites a disk")


def overwrites_a_volume(call: Call) -> Knowledge:
    """Logical volumes and what they lie on."""
    return catastrophe(f"{call.name} overwrites a disk")


def partitions(call: Call) -> Knowledge:
    """Partition tables: listing them is a danger at most."""
    options = [text for text in call.texts if text and not text.startswith("/")]
    if options and all(text in LISTING for text in options):
        return danger(f"{call.name} opens the disks of the machine")
    return catastrophe(f"{call.name} changes the partitions of a disk")


_DESTROYS: dict[str, tuple[str, ...]] = {
    "wipefs": ("-a", "--all", "-o", "--offset", "-f"),
    "hdparm": ("--security-erase", "--security-erase-enhanced", "--yes-i-know-what-i-am-doing", "--trim-sector-ranges"),
    "badblocks": ("-w", "-n"),
    "cryptsetup": ("luksFormat", "erase", "luksErase", "reencrypt", "luksRemoveKey", "luksKillSlot"),
    "zpool": ("destroy", "labelclear", "create"),
    "zfs": ("destroy", "rollback"),
    "mdadm": ("--zero-superblock", "--create", "-C", "--stop", "-S", "--remove", "--fail"),
    "debugfs": ("-w",),
    "nvme": ("format", "sanitize", "write", "write-zeroes", "delete-ns"),
    "diskutil": tuple(names(PLACES_ERASED)),
    "asr": ("restore", "--erase"),
    "dmsetup": ("remove_all", "wipe_table"),
    "xfs_admin": (),
    "btrfs": (),
    "bcdedit": ("/delete", "/deletevalue"),
    "vssadmin": ("delete", "Delete"),
}
"""Words with which these programs destroy data; without them they are a danger."""


def destroys_with_a_word(call: Call) -> Knowledge:
    """Programs that are for looking as well as for destroying."""
    fatal = {word.lower() for word in _DESTROYS[call.name]}
    for text in call.texts:
        folded = (text or "").lower()
        cluster = folded.startswith("-") and not folded.startswith("--") and len(folded) > 2
        if folded in fatal or (cluster and any("-" + letter in fatal for letter in folded[1:])):
            return catastrophe(f"{call.name} {text} destroys data on a disk")
    if call.name == "diskutil" and call.texts[:1] in {("list",), ("info",), ("activity",)}:
        return HARMLESS
    if call.name == "diskutil" and call.texts[:1] == ("apfs",) and any("delete" in (t or "") for t in call.texts[1:2]):
        return catastrophe("diskutil destroys data on a disk")
    return danger(f"{call.name} acts on the disks of the machine")


def runlevel(call: Call) -> Knowledge:
    """`init 0`, `telinit 6`."""
    if call.texts and call.texts[0] in {"0", "6", "1", "s", "S", "u", "q"}:
        return catastrophe(f"{call.name} {call.texts[0]} stops the machine")
    return danger(f"{call.name} changes what the machine runs")


def systemctl(call: Call) -> Knowledge:
    """`systemctl`, `loginctl`, `timedatectl`, `hostnamectl`: showing is harmless, the rest is not."""
    verbs = [text for text in call.texts if text is None or not text.startswith("-")]
    if verbs and verbs[0] in ENDS:
        return catastrophe(f"{call.name} {verbs[0]} stops the machine")
    table = (
        "words; -a -l -q -t= -n= -o= -p= --all --full --quiet --no-pager --no-legend --user --system --type= "
        "--state= --lines= --output= --property= --value --plain --failed --reverse --recursive"
    )
    shows = SHOWS if call.name == "systemctl" else OTHER_SHOWS
    if (not verbs or verbs[0] in shows) and by_table(call, table).level == "reads":
        return HARMLESS
    return danger(f"{call.name} {verbs[0] if verbs else ''} changes the services of the machine".replace("  ", " "))


def journalctl(call: Call) -> Knowledge:
    """The system's log holds what other programs and people did."""
    return changes(f"{call.name} shows the log of the whole machine, or changes it")


def defaults(call: Call) -> Knowledge:
    """The settings of macOS's programs."""
    if call.texts[:1] in {("read",), ("read-type",), ("domains",), ("find",)}:
        return HARMLESS
    return danger("defaults changes settings of the machine")


def risky(reason: str) -> Handler:
    """Answer for programs of which nothing more need be known."""

    def answer(call: Call) -> Knowledge:
        if call.texts in {("--version",), ("--help",), ("-V",)}:
            return HARMLESS
        return danger(f"{call.name} {reason}")

    return answer


def windows_remove(call: Call) -> Knowledge:
    """`del`, `rd`, `Remove-Item`, `format` as they are called on Windows."""
    drives = [word for word in call.words if doomed(word, call.directory, call.home)]
    letters = [text for text in call.texts if text and len(text) in {2, 3} and text[1] == ":"]
    if drives or letters:
        return catastrophe(f"{call.name} would remove {(drives and drives[0].raw) or letters[0]}")
    return danger(
        f"{call.name} removes files", writes=[word for word in call.words if word.text and "/" in word.text[1:]]
    )


HANDLERS: dict[str, Handler] = {
    **{name: risky(reason) for reason, programs in RISKY.items() for name in programs.split()},
    **serves(POWER, ends_the_machine),
    **serves(KERNEL, changes_the_kernel),
    **serves(DISK, overwrites_a_disk),
    **serves(VOLUMES, overwrites_a_volume),
    **serves(PARTITIONS, partitions),
    **dict.fromkeys(_DESTROYS, destroys_with_a_word),
    **serves("systemctl loginctl timedatectl hostnamectl localectl", systemctl),
    **serves(
        "del erase rd deltree format remove-item ri format-volume clear-disk",
        windows_remove,
    ),
    "init": runlevel,
    "telinit": runlevel,
    "journalctl": journalctl,
    "defaults": defaults,
}
PREFIXES: dict[str, Handler] = {
    "mkfs.": overwrites_a_disk,
    "newfs_": overwrites_a_disk,
    "fsck.": risky("repairs a disk"),
}
"""Families of programs that share the beginning of their names."""
