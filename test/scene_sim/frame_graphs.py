"""Random SDF worlds: links, frames, joints and nested models that refer to each other."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

NUMBERS = st.integers(-30, 30).map(lambda tenths: tenths / 10.0)
VERSIONS = ("1.7", "1.8", "1.9")


@dataclass
class Scope:
    """What may be referred to so far: name -> the link that it moves with."""

    root: str
    links: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


@st.composite
def worlds(draw: st.DrawFn, wild: bool = False) -> str:
    """Draw the text of a world.

    Where `wild`, references also go to names that come later, or nowhere: circles and unknown
    frames, which have to be refused.
    """
    version = draw(st.sampled_from(VERSIONS))
    scope = Scope("world")
    for index in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            _frame(draw, scope, f"f{index}", wild)
        else:
            _model(draw, scope, f"m{index}", wild, 2 if version != "1.7" else 0)
    _model(draw, scope, "last", wild, 1 if version != "1.7" else 0)
    body = "\n".join(draw(st.permutations(scope.lines)))
    return (
        f'<?xml version="1.0"?>\n<sdf version="{version}"><world name="w">\n{body}\n</world></sdf>'
    )


def _model(draw: st.DrawFn, outer: Scope, name: str, wild: bool, depth: int) -> None:
    scope = Scope("__model__")
    for index in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(("link", "frame", "joint", "model")))
        if kind == "link" or not scope.links:
            scope.lines.append(f'<link name="l{index}">{_pose(draw, scope, wild)}</link>')
            scope.links[f"l{index}"] = f"l{index}"
        elif kind == "frame":
            _frame(draw, scope, f"f{index}", wild)
        elif kind == "joint":
            _joint(draw, scope, f"j{index}", wild)
        elif depth > 0:
            _model(draw, scope, f"n{index}", wild, depth - 1)
    placement = ""
    if draw(st.booleans()):
        placement = f' placement_frame="{draw(st.sampled_from(sorted(scope.links)))}"'
    lines = draw(st.permutations(scope.lines))
    pose = _pose(draw, outer, wild)
    first = next((line.split('"')[1] for line in lines if line.startswith("<link")), "")
    outer.links[name] = f"{name}::{first}"
    for inner, link in scope.links.items():
        moves_with = first if link in ("", scope.root) else link
        outer.links[f"{name}::{inner}"] = f"{name}::{moves_with}"
    body = "\n".join(lines)
    outer.lines.append(f'<model name="{name}"{placement}>{pose}\n{body}</model>')


def _frame(draw: st.DrawFn, scope: Scope, name: str, wild: bool) -> None:
    attached = _reference(draw, scope, wild)
    attribute = f' attached_to="{attached}"' if attached else ""
    scope.lines.append(f'<frame name="{name}"{attribute}>{_pose(draw, scope, wild)}</frame>')
    scope.links[name] = scope.links.get(attached, attached)


def _joint(draw: st.DrawFn, scope: Scope, name: str, wild: bool) -> None:
    # libsdformat 12 does not find a nested model as an end of a joint, though its schema allows it.
    names = [
        name
        for name, link in scope.links.items()
        if link not in ("", "__model__") and not name.split("::")[-1].startswith("n")
    ]
    child = draw(st.sampled_from(names)) if names else ""
    others = [n for n in names if scope.links[n] != scope.links[child]]
    if not others:
        return
    parent = draw(st.sampled_from([*others, "world"]))
    expressed = _reference(draw, scope, wild)
    attribute = f' expressed_in="{expressed}"' if expressed else ""
    scope.lines.append(
        f'<joint name="{name}" type="revolute">{_pose(draw, scope, wild)}'
        f"<parent>{parent}</parent><child>{child}</child>"
        f"<axis><xyz{attribute}>0 0.6 0.8</xyz></axis></joint>"
    )
    scope.links[name] = scope.links[child]


def _reference(draw: st.DrawFn, scope: Scope, wild: bool) -> str:
    names = ["", scope.root, *scope.links]
    if wild and draw(st.integers(0, 9)) == 0:
        names = ["l0", "f1", "f2", "j3", "l2", "n2::l0", "m0", "m1::f0", "nowhere"]
    return draw(st.sampled_from(names))


def _pose(draw: st.DrawFn, scope: Scope, wild: bool) -> str:
    if draw(st.booleans()):
        return ""
    numbers = " ".join(str(draw(NUMBERS)) for _ in range(6))
    reference = _reference(draw, scope, wild)
    attribute = f' relative_to="{reference}"' if reference else ""
    return f"<pose{attribute}>{numbers}</pose>"
