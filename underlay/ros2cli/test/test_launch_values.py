"""What launch files mean: variables, scopes, substitutions, parameters, command lines."""

import pytest

SHOW = '<node pkg="things" exec="show" output="screen" exec_name="{name}" {more}>{inside}</node>'


def show(name="show", more="", inside=""):
    return SHOW.format(name=name, more=more, inside=inside)


# The body of a <param>, and the value that the node gets for `p`.
PARAMETERS = [
    ('value="1"', 1),
    ('value="1.0"', 1.0),
    ('value="1" type="float"', 1.0),
    ('value="1" type="str"', "1"),
    ('value="true"', True),
    ('value="yes"', True),
    ('value="1" type="bool"', True),
    ("value=\"'5'\"", "5"),
    ('value="text"', "text"),
    ('value="a: b" type="str"', "a: b"),
    ('value=""', ""),
    ('value="[1, 2]"', [1, 2]),
    ('value="[1.5, 2.5]"', [1.5, 2.5]),
    ('value="[a, b]"', ["a", "b"]),
    ('value="1,2,3" value-sep=","', [1, 2, 3]),
    ('value="1;2" value-sep=";" type="list_of_str"', ["1", "2"]),
    ('value="1;2" value-sep=";" type="list_of_float"', [1.0, 2.0]),
    ('value="[$(var three), 4]"', [3, 4]),
    ('value="[$(var word), b]"', ["hello", "b"]),
    ('value="$(var three)"', 3),
    ('value="$(var three)" type="str"', "3"),
    ('value="$(var three)" type="float"', 3.0),
    ('value="$(var word) $(var three)"', "hello 3"),
    ('value="$(var flag)"', True),
    ('value="$(var flag)" type="bool"', True),
    ("value=\"$(eval '$(var three) * 0.5')\"", 1.5),
    ('value="1e-3"', "1e-3"),
    ('value="1.0e-3"', 0.001),
    ('value="007" type="str"', "007"),
]

# A template, and its text.
TEMPLATES = [
    ("$(var three)", "3"),
    ("a$(var three)b$(var word)c", "a3bhelloc"),
    (r"\$(var three)", "$(var three)"),
    ("$(var nothing fallback)", "fallback"),
    ("$(var nothing 'two words')", "two words"),
    ("$(var $(var name_of_three))", "3"),
    ("$(env THINGS_UNSET default)", "default"),
    ("$(env THINGS_SET)", "here"),
    ("$(eval '1 + 2')", "3"),
    ("$(eval '&quot;$(var word)&quot; == &quot;hello&quot;')", "True"),
    ("$(eval '$(var three) > 2 and not False')", "True"),
    ("$(eval 'sqrt(16) + math.pi * 0')", "4.0"),
    ("$(eval &quot;'$(var word)'.upper()&quot;)", "HELLO"),
    ("$(not $(var flag))", "false"),
    ("$(and $(var flag) true)", "true"),
    ("$(or false $(var flag))", "true"),
    ("$(not $(or false false))", "true"),
    ("$(command 'echo -n one two')", "one two"),
    ("$(command 'printf %s $(var word)')", "hello"),
    ("$(command 'sh -c &quot;echo -n kept; echo noise 1>&amp;2&quot;' ignore)", "kept"),
    ("it costs $3 (net)", "it costs $3 (net)"),
]


def test_parameters(ros2):
    declared = (
        '<let name="three" value="3"/><let name="word" value="hello"/>'
        '<let name="flag" value="true"/>'
    )
    nodes = [
        show(f"n{number}", inside=f'<param name="p" {body}/>')
        for number, (body, _) in enumerate(PARAMETERS)
    ]
    shown = ros2.shown(declared + "".join(nodes))
    values = [
        shown[f"n{number}"]["files"][0]["/**"]["ros__parameters"]["p"]
        for number in range(len(PARAMETERS))
    ]
    wanted = [value for _, value in PARAMETERS]
    assert [(v, type(v)) for v in values] == [(v, type(v)) for v in wanted]


def test_templates(ros2):
    declared = (
        '<let name="three" value="3"/><let name="word" value="hello"/>'
        '<let name="flag" value="true"/><let name="name_of_three" value="three"/>'
        '<set_env name="THINGS_SET" value="here"/>'
    )
    nodes = [
        show(f"n{number}", inside=f'<env name="RESULT" value="{text}"/>')
        for number, (text, _) in enumerate(TEMPLATES)
    ]
    shown = ros2.shown(declared + "".join(nodes))
    results = [shown[f"n{number}"]["env"]["RESULT"] for number in range(len(TEMPLATES))]
    assert results == [result for _, result in TEMPLATES]


def test_the_command_line_of_a_node(ros2):
    (ros2.folder / "own.yaml").write_text("/**: {ros__parameters: {from_file: 5}}")
    inside = (
        '<param from="$(dirname)/own.yaml"/>'
        '<param name="gains"><param name="p" value="1.5"/><param name="deep">'
        '<param name="i" value="2"/></param></param>'
        '<remap from="scan" to="/lrf/scan"/><remap from="a" to="b"/>'
    )
    node = show(more='name="me" namespace="here" args="one \'two words\' $(var x)y"', inside=inside)
    shown = ros2.shown(f'<let name="x" value="p q"/>{node}')["show"]
    assert shown["words"] == [
        *("one", "two words", "p qy", "--ros-args", "-r", "__node:=me", "-r", "__ns:=/here"),
        *("--params-file", 0, "--params-file", 1),
        *("-r", "scan:=/lrf/scan", "-r", "a:=b"),
    ]
    assert shown["files"] == [
        {"/**": {"ros__parameters": {"from_file": 5}}},
        {"/here/me": {"ros__parameters": {"gains.p": 1.5, "gains.deep.i": 2}}},
    ]


def test_parameters_without_a_full_name_are_for_every_node(ros2):
    shown = ros2.shown(show(more='name="me"', inside='<param name="p" value="1"/>'))["show"]
    assert list(shown["files"][0]) == ["/**"]


def test_namespaces_nest_and_groups_take_them_back(ros2):
    shown = ros2.shown(
        f"""<group><push_ros_namespace namespace="outer"/>
        <group><push_ros_namespace namespace="inner"/>{show("deep", 'name="n"')}
        {show("own", 'name="n" namespace="mine"')}{show("absolute", 'name="n" namespace="/top"')}
        </group>{show("outer", 'name="n"')}</group>{show("none", 'name="n"')}"""
    )
    namespaces = {
        name: [word for word in node["words"] if str(word).startswith("__ns")]
        for name, node in shown.items()
    }
    assert namespaces == {
        "deep": ["__ns:=/outer/inner"],
        "own": ["__ns:=/outer/inner/mine"],
        "absolute": ["__ns:=/top"],
        "outer": ["__ns:=/outer"],
        "none": [],
    }


def env(name):
    return show(name, inside='<env name="X" value="$(var x unset)"/>')


def test_scopes_of_variables(ros2):
    ros2.write(
        f'<launch><arg name="x" default="default"/>{env("inside")}<let name="x" value="let"/>'
        f"{env('changed')}</launch>",
        "sub/other.launch.xml",
    )
    include = '<include file="$(dirname)/sub/other.launch.xml">{}</include>'
    shown = ros2.shown(
        f"""{env("before")}
        <group>{include.format("")}{env("leaked")}</group>{env("restored")}
        <group scoped="false"><let name="x" value="kept"/></group>{env("unscoped")}"""
    )
    values = {name: node["env"]["X"] for name, node in shown.items()}
    assert values == {
        "before": "unset",
        "inside": "default",
        "changed": "let",
        "leaked": "let",  # an include has no scope of its own
        "restored": "unset",
        "unscoped": "kept",
    }


def test_an_include_takes_the_arguments_that_it_is_given(ros2):
    ros2.write('<launch><arg name="x"/>' + env("inside") + "</launch>", "sub/other.launch.xml")
    shown = ros2.shown(
        '<include file="$(dirname)/sub/other.launch.xml"><arg name="x" value="given"/></include>'
    )
    assert shown["inside"]["env"]["X"] == "given"


@pytest.mark.parametrize(
    ("arguments", "value"), [([], "default"), (["x:=a:=b"], "a:=b"), (["x:=1", "x:=2"], "2")]
)
def test_arguments_of_the_command_line_win(ros2, arguments, value):
    shown = ros2.shown(f'<arg name="x" default="default"/>{env("node")}', *arguments)
    assert shown["node"]["env"]["X"] == value


def test_conditions(ros2):
    shown = ros2.shown(
        f"""<let name="yes" value="True"/><let name="no" value="0"/>
        {show("a", 'if="$(var yes)"')}{show("b", 'if="$(var no)"')}
        {show("c", 'unless="$(var no)"')}{show("d", 'unless="true"')}
        <group if="$(eval '2 > 1')">{show("e")}</group><group unless="1">{show("f")}</group>
        <let name="yes" value="false" if="false"/>{show("g", 'if="$(var yes)"')}"""
    )
    assert set(shown) == {"a", "c", "e", "g"}


def test_environment_and_folder(ros2):
    (ros2.folder / "elsewhere").mkdir()
    shown = ros2.shown(
        f"""<group><set_env name="A" value="1"/>{show("inside")}</group>{show("outside")}
        {show("own", 'cwd="$(dirname)/elsewhere"', '<env name="A" value="2"/>')}"""
    )
    assert shown["inside"]["env"]["A"] == "1"
    assert "A" not in shown["outside"]["env"]
    assert shown["own"]["env"]["A"] == "2"
    assert shown["own"]["folder"] == str(ros2.folder / "elsewhere")


def test_packages_and_choices(ros2):
    shown = ros2.shown(
        f"""<arg name="x" default="a" description="which"><choice value="a"/><choice value="b"/>
        </arg>{show("share", inside='<env name="P" value="$(find-pkg-share things)/x"/>')}
        {show("prefix", inside='<env name="P" value="$(find-pkg-prefix things)"/>')}"""
    )
    prefix = str(ros2.folder / "prefix")
    assert shown["share"]["env"]["P"] == f"{prefix}/share/things/x"
    assert shown["prefix"]["env"]["P"] == prefix


def test_parameters_and_remaps_for_all_nodes_of_a_scope(ros2):
    shown = ros2.shown(
        f"""<group><set_parameter name="use_sim_time" value="true"/>
        <set_remap from="a" to="b"/>{show("inside", inside='<remap from="c" to="d"/>')}</group>
        {show("outside")}"""
    )
    assert shown["inside"]["words"] == [
        *("--ros-args", "-p", "use_sim_time:=True", "-r", "a:=b", "-r", "c:=d")
    ]
    assert shown["outside"]["words"] == ["--ros-args"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("true", "True"),
        ("1", "1"),
        ("0.5", "0.5"),
        ("some text", "some text"),
        ("'[a, b 1]'", "[a, b 1]"),
        ("[a, b]", "('a', 'b')"),
    ],
)
def test_the_text_of_a_parameter_for_all_nodes(ros2, value, told):
    shown = ros2.shown(
        f'<set_parameter name="p" value="{value}"/>{show("inside", inside="")}',
    )
    assert shown["inside"]["words"] == ["--ros-args", "-p", f"p:={told}"]


def test_show_arguments(ros2):
    ros2.write('<launch><arg name="inner" default="2"/></launch>', "sub/other.launch.xml")
    path = ros2.write(
        """<arg name="a" description="the first"/><arg name="b" default="1$(var a)"/>
        <arg name="c" default="x"><choice value="x"/><choice value="y"/></arg>
        <group if="false"><arg name="d"/></group>"""
    )
    code, output = ros2.run("launch", "--show-args", path)
    assert code == 0
    for text in ("'a':", "the first", "'b':", "(default: '1' + LaunchConfig('a'))", "'d':*"):
        assert text in output
    assert "One of: ['x', 'y']" in output
