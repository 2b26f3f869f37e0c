from checking import expect, lines_changed, text, unchanged

runbook = text("docs/runbook.md")
deploy, rollback = runbook.split("## Rollback")[0], runbook.split("## Rollback")[-1].split("## Backup")[0]
expect("rollback.sh HOST" in rollback, "The section Rollback does not say rollback.sh HOST.")
expect("deploy.sh" not in rollback, "The section Rollback still names deploy.sh.")
expect("`./deploy.sh HOST VERSION`" in deploy, "The section Deploy no longer says ./deploy.sh HOST VERSION.")
expect("tell the team" in rollback, "The sentence about the team is gone.")
lines_changed("docs/runbook.md", most=1)
unchanged("docs/runbook.md")
