"""The grammar of substitutions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ros2cli.launch_runner.template import (
    Substitution,
    TemplateError,
    parse_template,
    unescape,
)

words = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
plain = st.text("abc /._-:=[]{}", min_size=1, max_size=10)


@given(plain)
def test_text_without_substitutions_stays(text):
    assert parse_template(text) == (text,)


@given(plain, plain)
def test_quoted_arguments_keep_their_spaces(one, two):
    found = parse_template(f"$(var '{one}' \"{two}\")")
    assert found == (Substitution("var", ((one,), (two,))),)


@given(words)
def test_any_text_is_read_or_refused(text):
    try:
        pieces = parse_template(text)
    except TemplateError:
        assert "$(" in text
        return
    if "$(" not in text:
        assert pieces == (unescape(text),)


@pytest.mark.parametrize(
    "text", ["$(", "$()", "$(var", "$(var )", "$(var  a)", "$(var 'a)", "$(1 a)", "$(var a(b))"]
)
def test_malformed(text):
    with pytest.raises(TemplateError, match="malformed substitution"):
        parse_template(text)


def test_substitutions_nest():
    inner = Substitution("var", (("b",),))
    assert parse_template("x$(var a$(var b))y") == (
        "x",
        Substitution("var", (("a", inner),)),
        "y",
    )
    assert parse_template("$(eval '$(var b) > 1')") == (Substitution("eval", ((inner, " > 1"),)),)
