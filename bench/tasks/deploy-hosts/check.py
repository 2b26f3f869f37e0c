from pathlib import Path

from checking import function, same, unchanged

load_hosts = function("scripts.hosts", "load_hosts")
wanted = {"production": ("10.0.4.10", 22), "staging": ("10.0.4.77", 2202), "backup": ("10.0.9.5", 22)}
same(load_hosts("hosts.ini"), wanted, "What load_hosts('hosts.ini') gives")
Path("other.ini").write_text("[a]\naddress = ::1\nport = 8022\n")
same(load_hosts("other.ini"), {"a": ("::1", 8022)}, "What load_hosts gives for another file")
unchanged()
