"""The defaults, as the specification has them."""

import msgspec

from ferrule.config.schema import Agent, Config, Hooks, Llm, Safety, assemble


def test_the_defaults() -> None:
    assert msgspec.to_builtins(Config()) == {
        "llm": {
            "provider": None,
            "model": None,
            "endpoint": None,
            "temperature": None,
            "max_tokens": None,
            "effort": None,
            "wire": None,
            "tool_mode": "auto",
            "endpoints": (),
            "models": (),
            "timeout_seconds": 120,
        },
        "local": {"model": None, "context": None, "idle_minutes": 15, "fetch": "ask", "server": None},
        "context": {"compaction_threshold": 0.95, "max_tool_output_chars": 50_000},
        "agent": {
            "max_turns": 100,
            "max_budget_usd": 0,
            "max_seconds": 0,
            "retry_attempts": 5,
            "retry_backoff_base_ms": 500,
        },
        "safety": {
            "mode": "normal",
            "allow": (),
            "ask": (),
            "deny": (),
            "allowed_paths": (),
            "blocked_paths": (),
            "sandbox": "auto",
            "network": (),
            "ask_timeout_seconds": 600,
        },
        "tools": {"disabled": (), "search_paths": (), "external": ()},
        "session": {
            "storage_path": None,
            "auto_save": True,
            "max_sessions": 200,
            "retention_days": 90,
            "checkpoints": True,
            "max_file_mb": 10,
        },
        "git": {"auto_commit": False, "commit_message_prefix": ""},
        "ui": {
            "color": "auto",
            "theme": "dark",
            "keys": "emacs",
            "show_token_usage": True,
            "show_tool_calls": True,
            "stream_responses": True,
        },
        "hooks": dict.fromkeys(Hooks.__annotations__, ()),
    }


def test_a_configuration_is_made_of_dotted_values() -> None:
    made = assemble({"llm.model": "m", "agent.max_turns": 3, "safety.deny": ("bash",)})
    assert made == Config(llm=Llm(model="m"), agent=Agent(max_turns=3), safety=Safety(deny=("bash",)))
