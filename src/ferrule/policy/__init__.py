"""May this call run? Modes, rules and trust, as gates composed of gates."""
