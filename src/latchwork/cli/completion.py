"""``latchwork completion``: what a shell has to know to complete words of this program."""

from __future__ import annotations

import argparse

from latchwork.cli.terminal import write

SHELLS = ("bash", "zsh", "fish")
BASH = """_latchwork() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} known
    case "$command" in
{cases}
        *) known="{commands}" ;;
    esac
    if [[ $COMP_CWORD -eq 1 ]]; then known="{commands}"; fi
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    if [[ $word != -* && $COMP_CWORD -gt 1 ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _latchwork latchwork
"""


def completion(options: argparse.Namespace) -> None:
    """The script of a shell, on stdout."""
    from latchwork.cli.options import parser

    write(FORMS[options.shell](_words(parser())), None)


def _words(main: argparse.ArgumentParser) -> dict[str, list[str]]:
    """The options of every command."""
    commands = next(action for action in main._actions if isinstance(action.choices, dict))
    assert isinstance(commands.choices, dict)
    return {name: sorted(word for action in own._actions for word in action.option_strings if word.startswith("--"))
            for name, own in commands.choices.items()}  # fmt: skip


def _bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f'        {name}) known="{" ".join(own)}" ;;' for name, own in words.items())
    return BASH.format(cases=cases, commands=" ".join([*words, "--help", "--version"]))


def _zsh(words: dict[str, list[str]]) -> str:
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(words)


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c latchwork -n __fish_use_subcommand -a '{' '.join(words)}'"]
    for name, own in words.items():
        lines += [f"complete -c latchwork -n '__fish_seen_subcommand_from {name}' -l {word[2:]}" for word in own]
    return "\n".join(lines)


FORMS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
