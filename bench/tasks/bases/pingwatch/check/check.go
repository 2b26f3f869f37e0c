package check

import (
	"net/http"
	"time"
)

var client = http.Client{Timeout: 8 * time.Second}

// Alive tells whether a site answers with anything but an error.
func Alive(url string) bool {
	response, err := client.Get(url)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode < 500
}
