package sites

// All gives the addresses that are looked after.
func All() []string {
	return []string{"https://www.example.org", "https://wiki.example.org"}
}
