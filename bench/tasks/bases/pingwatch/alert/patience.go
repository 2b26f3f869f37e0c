package alert

const tolerated = 4

// State remembers how often in a row a site was down.
type State struct {
	failures int
}

// Report takes in a result, and tells whether it is time for a mail.
func (s *State) Report(alive bool) bool {
	if alive {
		s.failures = 0
		return false
	}
	s.failures++
	return s.failures == tolerated
}
