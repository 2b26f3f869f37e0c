"""The providers that are known by name: data, not classes."""

from collections.abc import Mapping

import msgspec

from ferrule.core.messages import Value
from ferrule.core.regex import lazy
from ferrule.llm.endpoint import Quirks, Wire


class Provider(Value, frozen=True, kw_only=True):
    """Where a provider's models are reached, and how they want to be spoken to."""

    base_url: str = ""
    """Empty where the user must say."""
    wire: Wire = "openai_chat"
    key_variable: str = ""
    url_variable: str = ""
    """An environment variable that moves the base URL, where people are used to one."""
    model: str = ""
    """The model that is used where none is named."""
    catalogue: str = ""
    """Its name in the catalogue of prices, where that is another."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    quirks: Quirks = Quirks()
    local: bool = False
    """Runs on the user's own machine and needs no key."""


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        base_url="https://api.anthropic.com",
        wire="anthropic",
        key_variable="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        model="claude-sonnet-5-5",
    ),
    "openai": Provider(
        base_url="https://api.openai.com/v1",
        wire="openai_responses",
        key_variable="OPENAI_API_KEY",
        url_variable="OPENAI_BASE_URL",
        model="gpt-6.1-sol",
    ),
    "openrouter": Provider(
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
        model="anthropic/claude-sonnet-5.5",
        quirks=Quirks(effort_field="reasoning", thinking_field="reasoning_details", reports_cost=True),
    ),
    "google": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variable="GEMINI_API_KEY",
        model="gemini-3.8-flash",
        quirks=Quirks(thought_signatures=True),
    ),
    "deepseek": Provider(
        base_url="https://api.deepseek.com/v1",
        key_variable="DEEPSEEK_API_KEY",
        model="deepseek-v4-pro",
        quirks=Quirks(thinking_field="reasoning_content"),
    ),
    "groq": Provider(
        base_url="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY", model="openai/gpt-oss-120b"
    ),
    "mistral": Provider(
        base_url="https://api.mistral.ai/v1",
        key_variable="MISTRAL_API_KEY",
        model="mistral-medium-latest",
        quirks=Quirks(short_ids=True, stream_usage=False),
    ),
    "xai": Provider(base_url="https://api.x.ai/v1", key_variable="XAI_API_KEY", model="grok-4.7", catalogue="x-ai"),
    "moonshot": Provider(
        base_url="https://api.moonshot.ai/v1",
        key_variable="MOONSHOT_API_KEY",
        model="kimi-k3",
        catalogue="moonshotai",
        quirks=Quirks(thinking_field="reasoning_content"),
    ),
    "zai": Provider(base_url="https://api.z.ai/api/paas/v4", key_variable="ZAI_API_KEY", model="GLM-5.3"),
    "cerebras": Provider(base_url="https://api.cerebras.ai/v1", key_variable="CEREBRAS_API_KEY", model="gpt-oss-120b"),
    "ollama": Provider(base_url="http://127.0.0.1:11434", wire="ollama", url_variable="OLLAMA_HOST", local=True),
    "openai-compatible": Provider(key_variable="OPENAI_COMPATIBLE_API_KEY", local=True),
}
"""In the order in which a key in the environment is looked for."""

OTHER_NAMES = {"claude": "anthropic", "gemini": "google", "grok": "xai", "x-ai": "xai", "kimi": "moonshot"}

_REASONS = lazy(r"(?:^|/)(?:o\d|gpt-(?:[5-9]|\d\d))")
_OLDER_CLAUDE = lazy(r"claude-(?:[23]|(?:opus|sonnet|haiku)-4(?:-[015]|-\d{8}|$))")


def quirks_of(provider: Provider, model: str) -> Quirks:
    """The quirks of a provider's model: those of the provider, and what its name tells."""
    quirks = provider.quirks
    if provider.wire == "anthropic":
        return msgspec.structs.replace(quirks, adaptive_thinking=not _OLDER_CLAUDE.search(model))
    if provider.key_variable == "OPENAI_API_KEY":
        reasons = bool(_REASONS.search(model))
        return msgspec.structs.replace(
            quirks,
            reasons=reasons,
            temperature=not reasons,
            developer_role=reasons,
            max_tokens_field="max_completion_tokens",
        )
    return quirks
