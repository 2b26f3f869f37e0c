"""Ways out of a sandbox, as commands. None of them may reach anything; whether they fail or do nothing is all the same.

What would harm the machine if it succeeded is only tried: a file is opened for writing, and nothing written.

They find these variables: OUT, a directory outside that can be read; ROOT, the project; SECRET and LOGIN, a masked
file in a masked directory and one beside others; VICTIM, a process outside; PORT, where someone listens on the
loopback address; SOCK and ABSTRACT, unix sockets; OWN, Ferrule's own files; SHM, a name in /dev/shm; KEY, a shared
memory segment.
"""

WRITES = {
    "append": "echo x >> $OUT/victim",
    "truncate": ": > $OUT/victim",
    "create": "touch $OUT/new",
    "create_in_open_directory": "touch $OUT/open/new",
    "mkdir": "mkdir $OUT/newdir",
    "remove": "rm -f $OUT/victim",
    "remove_tree": "rm -rf $OUT/open",
    "rename": "mv $OUT/victim $OUT/victim2",
    "move_in": "mv $OUT/victim $ROOT/",
    "move_over": "echo x > mine; mv -f mine $OUT/victim",
    "copy_over": "echo x > mine; cp -f mine $OUT/victim",
    "chmod": "chmod 777 $OUT/victim $OUT",
    "chown": "chown 12345 $OUT/victim",
    "touch_times": "touch -d 2001-01-01 $OUT/victim",
    "link_out": "ln -s /etc $OUT/link",
    "hard_link_in": "ln $OUT/victim hard && echo x > hard",
    "hard_link_out": "echo x > mine; ln mine $OUT/hard",
    "symlink_then_write": "ln -s $OUT/victim soft; echo x > soft",
    "symlinked_directory": "ln -s $OUT dir; echo x > dir/victim; rm -f dir/victim",
    "dot_dot": "echo x > $ROOT/../../victim",
    "proc_root": "echo x > /proc/self/root$OUT/victim",
    "proc_cwd": "cd $OUT && echo x > /proc/self/cwd/victim",
    "proc_init_root": "echo x > /proc/1/root$OUT/victim",
    "proc_victim_root": "echo x > /proc/$VICTIM/root$OUT/victim",
    "proc_any_root": "for p in /proc/[0-9]*; do echo x > $p/root$OUT/victim; done",
    "proc_victim_cwd": "touch /proc/$VICTIM/cwd/new; touch /proc/1/cwd/../../new",
    "reopen_for_writing": "exec 9<$OUT/victim; echo x > /proc/self/fd/9; echo x > /dev/fd/9",
    "read_write_open": "exec 9<>$OUT/victim && echo x >&9",
    "dd": "echo x | dd of=$OUT/victim conv=notrunc",
    "tee": "echo x | tee -a $OUT/victim",
    "sed_in_place": "sed -i s/./y/ $OUT/victim",
    "fallocate": "fallocate -p -l 1 $OUT/victim; truncate -s 0 $OUT/victim",
    "xattr": 'python3 -c \'import os; os.setxattr("\'$OUT/victim\'", "user.x", b"1")\'',
    "python_open": 'python3 -c \'open("\'$OUT/victim\'", "a").write("x")\'',
    "inherited_descriptors": (
        "for f in /proc/self/fd/*; do echo x > $f/victim; done; for n in {3..60}; do echo x >&$n; done"
    ),
    "descriptor_directory": (
        "python3 -c 'import os; [os.open(\"victim\", os.O_WRONLY, dir_fd=n) for n in range(3, 40)]'"
    ),
    "home_start_up": "echo evil >> ~/.bashrc; echo evil >> ~/.profile; echo '[alias] x = !evil' >> ~/.gitconfig",
    "git_config_global": "git config --global core.pager evil",
    "etc": "touch /etc/$SHM && echo ESCAPED; mkdir /var/lib/$SHM && echo ESCAPED",
    "etc_passwd": ": >> /etc/passwd && echo ESCAPED; : >> /etc/hosts && echo ESCAPED",
    "usr": "touch /usr/local/bin/$SHM && echo ESCAPED; : >> /usr/bin/env && echo ESCAPED",
    "own_files": "echo x > $OWN/credentials; echo x > $OWN/new; rm -rf $OWN",
    "own_state": "rm -rf $OWN/state/*; touch $OWN/state/x",
    "prelude": "echo evil >> $OWN/private/prelude.bash; rm $OWN/private/*; touch $OWN/private/new",
    "prelude_by_variable": 'for f in $(compgen -v); do echo evil >> "${!f}/prelude.bash"; done',
    "core_pattern": (
        ": >> /proc/sys/kernel/core_pattern && echo ESCAPED; : >> /proc/sys/kernel/modprobe && echo ESCAPED"
    ),
    "sysctl": "for f in vm/drop_caches kernel/hostname kernel/panic; do : >> /proc/sys/$f && echo ESCAPED; done",
    "sysrq": ": >> /proc/sysrq-trigger && echo ESCAPED",
    "oom": "echo 1000 > /proc/$VICTIM/oom_score_adj && echo ESCAPED",
    "sys": "for f in /sys/power/state /sys/kernel/mm/transparent_hugepage/enabled; do : >> $f && echo ESCAPED; done",
    "cgroup": "mkdir /sys/fs/cgroup/$SHM && echo ESCAPED; mkdir c; mount -t cgroup2 none c && echo ESCAPED",
    "cgroup_left": (
        ": >> /sys/fs/cgroup/cgroup.procs && echo ESCAPED; : >> /sys/fs/cgroup/release_agent && echo ESCAPED"
    ),
    "binfmt": ": >> /proc/sys/fs/binfmt_misc/register && echo ESCAPED",
    "dev_mem": (
        "for f in mem kmem port; do head -c 1 /dev/$f && echo ESCAPED; done; "
        "[ -c /dev/kmsg ] && : >> /dev/kmsg && echo ESCAPED"
    ),
    "disks": "for f in /dev/sd* /dev/vd* /dev/nvme* /dev/dm-* /dev/loop*; do head -c 1 $f && echo ESCAPED; done",
    "mknod": "mknod disk b 254 0 && head -c 1 disk && echo ESCAPED; mknod mem c 1 1 && head -c 1 mem && echo ESCAPED",
    "shared_memory_file": "echo x > /dev/shm/$SHM; echo x > /dev/shm/new-$SHM",
    "tmp": "echo x > $OUT/../tmp-victim; ls $OUT/..",
    "setuid_program": "cp /bin/bash sh; chmod u+s sh; ./sh -p -c 'echo x > $OUT/victim'",
    "sudo": "sudo -n touch $OUT/new; runuser -u root touch $OUT/new; newgrp root < /dev/null; pkexec touch $OUT/new",
    "capsh": 'capsh --caps=all+eip -- -c "echo x > $OUT/victim"; setpriv --bounding-set +all touch $OUT/new',
    "overwrite_by_tar": "mkdir -p t/victim; tar -cPf t.tar --transform s,.*,$OUT/victim, mine; tar -xPf t.tar",
    "compiler": "echo 'int main(){return 0;}' > a.c; cc -o $OUT/victim a.c",
    "install": "install -m 777 /bin/true $OUT/victim; rsync -a /bin/true $OUT/",
    "git_work_tree": "git --work-tree=$OUT checkout -f -- . ; git -C $OUT/other commit --allow-empty -m evil",
    "git_directory": "git --git-dir=$OUT/other/.git config core.fsmonitor evil; git -C $OUT/other init --template=/tmp",
    "mount_bind": "mkdir m; mount --bind $OUT m && echo x > m/victim",
    "remount": (
        "mount -o remount,rw / ; mount -o remount,rw,bind / ; mount -o remount,rw,bind $OUT; echo x > $OUT/victim"
    ),
    "umount": "umount -l $ROOT/.git/config; umount -l $ROOT; umount -l ~/.ssh; cat $SECRET",
    "unshare": 'unshare -Urm sh -c "mount -o remount,rw,bind /; echo x > $OUT/victim"',
    "unshare_each": (
        'mkdir m; for n in -U -m -n -i -u -C -T; do unshare $n sh -c "mount --bind $OUT m; echo x > m/victim"; done'
    ),
    "unshare_umount": 'unshare -Urm sh -c "umount -l $ROOT/.git/hooks; echo evil > $ROOT/.git/hooks/pre-commit"',
    "clone_namespaces": (
        "python3 -c 'import ctypes; c = ctypes.CDLL(None); print(c.unshare(0x10000000 | 0x20000), "
        "c.syscall(435, 0, 0))'; echo x > $OUT/victim"
    ),
    "nsenter": "nsenter -t $VICTIM -m touch $OUT/new; nsenter -t 1 -a touch $OUT/new",
    "setns_descriptors": "for p in /proc/[0-9]*; do nsenter --mount=$p/ns/mnt touch $OUT/new; done",
    "chroot": 'chroot / sh -c "echo x > $OUT/victim"; mkdir r; chroot r; pivot_root . r',
    "new_mount_api": (
        "python3 -c 'import ctypes; c = ctypes.CDLL(None); f = c.syscall(428, -100, b\"'$OUT'\", 1); "
        'print(f, c.syscall(429, f, b"", -100, b"\'$ROOT\'", 4))\'; echo x > $ROOT/victim; echo x > $OUT/victim'
    ),
    "handles": (
        "python3 -c 'import ctypes; c = ctypes.CDLL(None, use_errno=True); b = (ctypes.c_char * 256)(); b[0] = 200; "
        "m = ctypes.c_int(); print(c.name_to_handle_at(-100, b\"'$OUT/victim'\", b, ctypes.byref(m), 0)); "
        "print(c.open_by_handle_at(3, b, 2))'"
    ),
    "io_uring": "python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(425, 8, (ctypes.c_char * 120)()))'",
    "loop_device": "truncate -s 1M img; mkfs.ext2 -q img; mkdir m; mount -o loop img m && echo ESCAPED",
    "fuse": 'fusermount -u /; python3 -c \'open("/dev/fuse", "r+b")\'',
    "overlay": "mkdir u w m; mount -t overlay overlay -o lowerdir=$OUT,upperdir=u,workdir=w m; umount -l m",
    "bubblewrap_again": 'bwrap --bind / / --dev /dev sh -c "echo x > $OUT/victim"; bwrap --dev-bind / / touch $OUT/new',
    "kernel_module": "touch evil.ko; insmod evil.ko 2>&1 | grep -i 'invalid module' && echo ESCAPED",
}
"""Changes outside of what may be written."""

PROTECTED = {
    "hook": "echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hook_by_cp": "cp /bin/true .git/hooks/post-checkout",
    "hook_removed": "rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
    "hooks_moved": "mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
    "git_moved": "mv .git .git2 && git init -q . && cp -r .git2/. .git/ && echo evil > .git/hooks/pre-commit",
    "git_replaced": "rm -rf .git; git init -q; git config core.fsmonitor evil; echo evil > .git/hooks/pre-commit",
    "git_swapped": "cp -r .git g; echo evil > g/hooks/x; mv .git h; mv g .git; ln -sfn g .git",
    "git_exchange": (
        "cp -r .git g; echo evil > g/hooks/x; python3 -c 'import ctypes; "
        'print(ctypes.CDLL(None).renameat2(-100, b".git", -100, b"g", 2))\''
    ),
    "config": "git config core.fsmonitor evil; git config core.hooksPath $ROOT/h; git config alias.st '!evil'",
    "config_by_hand": "printf '[core]\\n fsmonitor = evil\\n' >> .git/config",
    "config_by_lock": (
        "cp .git/config .git/config.lock; echo evil >> .git/config.lock; mv -f .git/config.lock .git/config"
    ),
    "config_unlinked": "rm -f .git/config; echo evil > .git/config; ln -sf $ROOT/x .git/config",
    "config_worktree": (
        "git config extensions.worktreeConfig true; printf '[core]\\n fsmonitor = evil\\n' > .git/config.worktree"
    ),
    "commondir": "cp -r .git ev; printf '[core]\\n fsmonitor = evil\\n' >> ev/config; echo ../ev > .git/commondir",
    "commondir_link": "rm -f .git/commondir; ln -s $ROOT/x .git/commondir; mkdir .git/commondir",
    "remote_config": (
        "git remote add evil 'ext::evil'; git config remote.x.uploadpack evil; git submodule add ./vendor/lib s2"
    ),
    "gitmodules": "printf '[submodule \"x\"]\\n update = !evil\\n' >> .gitmodules; rm -f .gitmodules",
    "nested_hook": "echo evil > vendor/lib/.git/hooks/pre-commit",
    "nested_config": "git -C vendor/lib config core.fsmonitor evil",
    "nested_parent_moved": (
        "mv vendor v2 && mkdir -p vendor/lib && cp -r v2/lib/. vendor/lib && echo evil > vendor/lib/.git/config"
    ),
    "nested_moved": "mv vendor/lib vendor/l2; git init -q vendor/lib; git -C vendor/lib config core.fsmonitor evil",
    "nested_removed": (
        "rm -rf vendor; mkdir -p vendor/lib; git init -q vendor/lib; git -C vendor/lib config core.fsmonitor e"
    ),
    "nested_commondir": "mkdir ev; echo $ROOT/ev > vendor/lib/.git/commondir",
    "module_config": "printf '[core]\\n fsmonitor = evil\\n' >> .git/modules/sub/config",
    "module_hook": (
        "echo evil > .git/modules/sub/hooks/pre-commit; mv .git/modules .git/m2; mv .git/modules/sub .git/s2"
    ),
    "module_pointer": 'cp -r .git/modules/sub ev; echo "gitdir: $ROOT/ev" > sub/.git',
    "module_pointer_replaced": "rm -f sub/.git; git init -q sub; mv sub sub2; cp -r sub2 sub",
    "worktree_commondir": "echo $ROOT/ev > .git/worktrees/tree/commondir; mv .git/worktrees .git/w2",
    "worktree_config": "printf '[core]\\n fsmonitor = evil\\n' > .git/worktrees/tree/config.worktree",
    "linked_hooks": "rm linked/.git/hooks; mkdir linked/.git/hooks; echo evil > linked/.git/hooks/pre-commit",
    "linked_hooks_target": "echo evil > linked/shared-hooks/pre-commit; mv linked/shared-hooks linked/s2",
    "linked_hooks_elsewhere": "mkdir ev; ln -sfn $ROOT/ev linked/.git/hooks",
    "vscode": "echo evil > .vscode/tasks.json; echo evil >> .vscode/settings.json; rm -rf .vscode; mv .vscode v",
    "idea_missing": "mkdir -p .idea/runConfigurations; echo evil > .idea/workspace.xml",
    "mcp_missing": "echo '{\"mcpServers\": {}}' > .mcp.json; mkdir .mcp.json; ln -s x .mcp.json",
    "ferrule_missing": "mkdir -p .ferrule; echo evil > .ferrule/config.json; echo evil > .ferrule.json",
    "missing_by_rename": "mkdir d; echo evil > d/config.json; mv -fT d .ferrule; mv -f d .claude; cp -r d .cursor",
    "missing_unmounted": "rmdir .ferrule; rm -rf .idea; mv .mcp.json x; touch .mcp.json",
    "start_up_files": "for f in .bashrc .zshrc .profile .bash_profile .zshenv .inputrc; do echo evil > $f; done",
    "fish": "mkdir -p .config/fish; echo evil > .config/fish/config.fish",
    "other_case": "echo evil > .VSCODE/x; echo evil > .GIT/hooks/x; echo evil > .Git/config",
    "git_clean": "git clean -ffdxq; git checkout -q -f HEAD; git stash -uq; git reset -q --hard",
    "by_another_path": (
        "for d in /proc/self/root$ROOT /proc/self/cwd /proc/1/root$ROOT; do echo evil > $d/.git/hooks/x; done"
    ),
    "by_descriptor": "exec 9<.git/config; echo evil > /proc/self/fd/9; cd .git/hooks && echo evil > pre-commit",
    "chmod_protected": "chmod -R 777 .git/hooks .git/config .vscode",
    "times_of_protected": "touch .git/config .git/hooks .vscode/settings.json",
    "hard_link_to_protected": "ln .git/config c && echo evil >> c; ln .vscode/settings.json s && echo evil > s",
    "background": "(sleep 0.2; echo evil > .git/hooks/pre-commit; echo evil > .mcp.json) >/dev/null 2>&1 & ",
    "init_again": "git init -q --template=$ROOT; GIT_DIR=$ROOT/.git git config core.editor evil",
    "added_worktree": (
        "git worktree add -q w2; git -C w2 config core.fsmonitor evil; printf x > .git/worktrees/w2/config.worktree"
    ),
}
"""Changes to what steers the programs of whoever works in the project."""

READS = {
    "cat": "cat $SECRET $LOGIN",
    "list": "ls -la ~/.ssh; find ~/.ssh -type f -exec cat {} +",
    "grep": "grep -r S3CR3T ~ 2>/dev/null; grep -r S3CR3T $OUT",
    "link": "ln -s $SECRET s; cat s; ln $SECRET h; cat h",
    "hard_link_of_login": "ln $LOGIN h; cat h; cp $LOGIN c; cat c",
    "archive": "tar -cf - -C ~ .ssh .netrc | strings | head; cp -r ~/.ssh copied; cat copied/*",
    "proc_paths": "cat /proc/self/root$SECRET /proc/1/root$SECRET /proc/$VICTIM/root$SECRET",
    "own_credentials": "cat $OWN/credentials; ls $OWN; find $OWN -type f -exec cat {} +",
    "environment": "env; cat /proc/self/environ /proc/1/environ | tr '\\0' '\\n'; cat /proc/*/environ | tr '\\0' '\\n'",
    "environment_of_victim": "tr '\\0' '\\n' < /proc/$VICTIM/environ; ps auxe; ps -ef",
    "command_lines": "cat /proc/*/cmdline | tr '\\0' ' '; ps aux",
    "memory_of_others": (
        "gdb -p $VICTIM -batch -ex 'x/s environ[0]'; strace -p $VICTIM -e trace=none & sleep 0.2; kill %1"
    ),
    "memory_file": "for p in /proc/[0-9]*; do dd if=$p/mem of=/dev/stdout bs=1 count=1 skip=4096; done 2>/dev/null",
    "process_vm": (
        "python3 -c 'import ctypes; print(ctypes.CDLL(None).process_vm_readv('$VICTIM', 0, 0, 0, 0, 0))'; "
        "cat /proc/$VICTIM/maps"
    ),
    "descriptors_of_others": "for f in /proc/[0-9]*/fd/*; do [ -f $f ] && cat $f; done 2>/dev/null | head -c 10000",
    "shadow": "cat /etc/shadow /etc/gshadow",
    "shared_memory": "python3 -c 'import ctypes; c = ctypes.CDLL(None); i = c.shmget('$KEY', 0, 0); c.shmat.restype = "
    "ctypes.c_char_p; print(i, c.shmat(i, 0, 0) if i >= 0 else None)'; cat /dev/shm/*; ipcs -m",
    "keyring": (
        "keyctl show; cat /proc/keys; python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(219, 6, -4, 0, 0))'"
    ),
    "kernel_log": "dmesg; cat /proc/kmsg < /dev/null & sleep 0.1; kill $!; head -c 100 /proc/kcore",
    "history": "history; cat ~/.bash_history; fc -l",
    "swap_mask": "mv ~/.ssh ~/s; cat ~/s/*; cd ~/.ssh && cat id_ed25519",
    "git_credentials": "git credential fill < /dev/null; git config --list --show-origin | grep -i S3CR3T",
    "terminal": "cat /dev/pts/* < /dev/null & sleep 0.1; kill $!; cat /dev/vcs /dev/tty1 /dev/console < /dev/null",
}
"""Looks at what is masked."""

REACHES = {
    "tcp": "exec 9<>/dev/tcp/127.0.0.1/$PORT && echo hello >&9",
    "udp": "echo hello > /dev/udp/127.0.0.1/$PORT",
    "curl": "curl -sm 2 http://127.0.0.1:$PORT/; curl -sm 2 http://localhost:$PORT/; curl -sm 2 http://[::1]:$PORT/",
    "own_address": "for a in $(hostname -I); do echo hello > /dev/tcp/$a/$PORT; done",
    "python_tcp": "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", '$PORT'), 2).send(b\"hello\")'",
    "any_address": "python3 -c 'import socket; socket.create_connection((\"0.0.0.0\", '$PORT'), 2).send(b\"hello\")'",
    "raw": "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)'; ping -c 1 -W 1 127.0.0.1",
    "packet": "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3).bind((\"lo\", 0))'",
    "vsock": "python3 -c 'import socket; socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1024))'",
    "dns": "getent hosts example.org; python3 -c 'import socket; socket.getaddrinfo(\"example.org\", 80)'",
    "new_network": "ip link add v0 type veth; ip addr add 10.0.0.1/8 dev lo; ip netns add x; unshare -n true",
    "unix_socket": (
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"'$SOCK'\"); s.send(b\"hello\")'"
    ),
    "unix_datagram": (
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
        's.sendto(b"hello", "\'$SOCK\'.dgram")\''
    ),
    "abstract_socket": (
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"\\0'$ABSTRACT'\"); "
        's.send(b"hello")\''
    ),
    "socket_pair_reconnected": (
        "python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); "
        'a.sendto(b"hello", "\'$SOCK\'.dgram")\''
    ),
    "socket_pair_connected_anew": (
        "python3 -c 'import socket; a, b = socket.socketpair(); a.connect(\"'$SOCK'\"); a.send(b\"hello\")'"
    ),
    "socket_by_link": "ln -s $SOCK s; curl -sm 2 --unix-socket s http://x/; curl -sm 2 --unix-socket $SOCK http://x/",
    "agent_variables": (
        "echo $SSH_AUTH_SOCK $DBUS_SESSION_BUS_ADDRESS $DOCKER_HOST; ls -la /run /run/user /var/run/docker.sock"
    ),
    "signal": "kill -9 $VICTIM; kill -9 -$VICTIM; kill -STOP $VICTIM",
    "pidfd": "python3 -c 'import os, signal; signal.pidfd_send_signal(os.pidfd_open('$VICTIM'), 9)'",
    "type_on_terminal": (
        "python3 -c 'import fcntl, termios; [fcntl.ioctl(0, termios.TIOCSTI, b\"x\") for _ in range(3)]'"
    ),
    "nice": "renice 19 -p $VICTIM; taskset -p 1 $VICTIM; prlimit --pid $VICTIM --nofile=1; chrt -p $VICTIM",
    "outlive": (
        "(setsid sh -c 'trap \"\" TERM HUP; exec -a ferrule-$SHM sleep 300' &) ; "
        "(exec -a ferrule-$SHM sleep 300 &); sleep 0.1"
    ),
    "double_fork": (
        "python3 -c 'import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
        'os.execvp("sleep", ["ferrule-\'$SHM\'", "300"])\'; sleep 0.1'
    ),
}
"""Speaks to something outside."""

ESCAPES = {
    f"{group}.{name}": command
    for group, commands in (("write", WRITES), ("protected", PROTECTED), ("read", READS), ("reach", REACHES))
    for name, command in commands.items()
}
