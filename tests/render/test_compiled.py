"""A wheel has the code of its templates, and rendering takes it."""

from __future__ import annotations

import shutil
import zipfile
from hashlib import sha1
from importlib import util
from pathlib import Path
from types import ModuleType

import jinja2
import pytest
from hatchling.builders.wheel import WheelBuilder

from specwright.render import compiled, environment
from specwright.render.renderer import Renderer
from specwright.render.templates import Templates, builtin_directory

NAME = "package/errors.py.jinja"


def wheel(root: Path, place: Path) -> Path:
    """Build a wheel of a copy of the toolkit, so that the directory `build` of this one stays."""
    copy = place / "source"
    leave = shutil.ignore_patterns("__pycache__", ".*")
    for name in ("generator", "templates"):
        shutil.copytree(root / name, copy / name, ignore=leave)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    [built] = WheelBuilder(str(copy)).build(directory=str(place), versions=["standard"])
    return Path(built)


@pytest.fixture
def installed(root: Path, tmp_path: Path) -> ModuleType:
    """The module that finds the code, of an unpacked wheel."""
    place = tmp_path / "installed"
    with zipfile.ZipFile(wheel(root, tmp_path)) as archive:
        archive.extractall(place)
    spec = util.spec_from_file_location("found", place / "specwright/render/compiled.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_wheel_has_the_code_of_each_template(installed: ModuleType) -> None:
    for file in builtin_directory().rglob("*.jinja"):
        assert installed.code_of(sha1(file.read_bytes()).hexdigest()) is not None, file


def test_code_of_another_release_of_jinja_is_not_taken(
    installed: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    checksum = sha1((builtin_directory() / NAME).read_bytes()).hexdigest()
    monkeypatch.setattr(jinja2, "__version__", "3.0.0")
    assert installed.code_of(checksum) is None


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the templates whose code is found, with nothing compiled yet."""
    templates = tmp_path / "templates"
    shutil.copytree(builtin_directory(), templates)
    directory = compiled.compile_templates(templates, tmp_path)
    monkeypatch.setattr(compiled, "_directory", lambda: directory)
    monkeypatch.setattr(environment, "_COMPILED", environment._Compiled())
    return templates


def test_nothing_is_compiled_but_templates_that_were_edited(
    found: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []
    compile_one = jinja2.Environment.compile

    def noted(self: jinja2.Environment, source: str, name: str, filename: str) -> object:
        asked.append(name)
        return compile_one(self, source, name, filename)

    monkeypatch.setattr(jinja2.Environment, "compile", noted)
    edited = found / NAME
    edited.write_text(edited.read_text("utf-8") + "# Edited.\n", "utf-8")
    templates = Templates(found)
    Renderer(templates).compile(templates.builtin_names())
    assert asked == [NAME]


def test_the_code_is_that_of_the_environment_of_templates(found: Path) -> None:
    templates = Templates(found)
    own = environment.environment(templates)
    # Applied to constants in advance, they would be those of the release that compiles.
    own.filters.update(dict.fromkeys(environment._FILTERS, compiled._unknown))
    for name in templates.builtin_names():
        source = templates.builtin_source(name) or ""
        written = own.compile(source, name, name, raw=True)
        file = compiled._name(sha1(source.encode()).hexdigest())
        assert (compiled._directory() / file).read_text("utf-8") == written, name


def test_an_error_names_the_template(found: Path) -> None:
    renderer = Renderer(Templates(found))
    with pytest.raises(jinja2.UndefinedError) as caught:
        renderer.render(NAME, {})
    frames = [str(frame.path) for frame in caught.traceback]
    assert str(found / NAME) in frames


def test_a_copy_of_a_template_by_the_user_has_its_own_name(found: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "package").mkdir(parents=True)
    shutil.copy(found / NAME, own / NAME)
    template = environment.environment(Templates(found, own)).get_template(NAME)
    assert template.filename == str(own / NAME)
