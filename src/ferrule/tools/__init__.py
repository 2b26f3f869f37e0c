"""One file per tool, its description beside it as Markdown. Tools see neither the loop, the session nor the policy."""
