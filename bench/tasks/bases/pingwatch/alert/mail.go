package alert

import (
	"fmt"
	"net/smtp"
)

const (
	relay = "mail.example.org:25"
	from  = "pingwatch@example.org"
	to    = "admin@example.org"
)

// Send tells the admin that a site is down.
func Send(site string) error {
	text := fmt.Sprintf("Subject: %s is down\r\n\r\n%s does not answer.\r\n", site, site)
	return smtp.SendMail(relay, nil, from, []string{to}, []byte(text))
}
