from checking import says, unchanged

short = r"\bshort(en|ens|ened|ener|ening|er)?\b"
address = r"\b(urls?|links?|web ?addresses|addresses|web ?sites?)\b"
says("that it shortens URLs", rf"{short}.{{0,80}}{address}", rf"{address}.{{0,80}}{short}")
unchanged()
