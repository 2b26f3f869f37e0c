package main

import (
	"time"

	"example.org/pingwatch/alert"
	"example.org/pingwatch/check"
	"example.org/pingwatch/sites"
)

func main() {
	states := map[string]*alert.State{}
	for {
		for _, site := range sites.All() {
			if states[site] == nil {
				states[site] = &alert.State{}
			}
			if states[site].Report(check.Alive(site)) {
				alert.Send(site)
			}
		}
		time.Sleep(time.Minute)
	}
}
