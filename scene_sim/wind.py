"""Gazebo's WindEffects: wind that varies, and pushes the links that have it enabled.

The wind's size follows the world's <wind> with a lag and gets a sine and noise, its direction
likewise; a link is pushed by mass * factor * (wind - its velocity). Gazebo does so at each physics
step, this at each control period: lags and noise come out the same over a period.

A model with a VelocityControl is set to its velocity at every step there, so that of the wind only
what one step's push changes is left. `drift` is that, for the control to add.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from scene_sim.actuators import CONTROL_PERIOD, plugin_kind
from scene_sim.description.plugin import Element, Plugin
from scene_sim.description.scene import Link, Model, World
from scene_sim.description.sensors import Noise
from scene_sim.description.source import DescriptionError
from scene_sim.mjcf_builder import body_name
from scene_sim.noise import NoiseSource, stream
from scene_sim.physics import Array, Physics

FACTOR = "force_approximation_scaling_factor"
NOISE_NUMBERS = ("mean", "stddev")
SUFFIX = "not played by the embedded simulator"


@dataclass(frozen=True)
class Wave:
    """One quantity of the wind: its lag (s), its sine (share or degrees; s), and its noise."""

    lag: float = 1.0
    amplitude: float = 0.0
    period: float = 1.0
    noise: Noise = field(default_factory=Noise)

    def sine(self, seconds: float) -> float:
        """Return the sine's value."""
        return self.amplitude * math.sin(2.0 * math.pi * seconds / self.period)


@dataclass(frozen=True)
class WindDescription:
    """What the plugin's element says; `factor` in 1/s."""

    magnitude: Wave = Wave()
    direction: Wave = Wave()
    vertical: Wave = Wave()
    factor: float = 1.0


def wind_plugin(world: World) -> Plugin | None:
    """Return the world's WindEffects, if it has one."""
    plugins = (plugin for plugin in world.plugins if plugin_kind(plugin) == "WindEffects")
    return next(plugins, None)


def blown_links(models: Iterable[Model]) -> Iterator[tuple[Model, Link]]:
    """Yield the links that wind acts on; a model's <enable_wind> is that of all its links."""
    for model in models:
        for link in model.links:
            if (model.enable_wind or link.enable_wind) and not model.static:
                yield model, link


def wind_description(plugin: Plugin) -> WindDescription:
    """Read the plugin's parameters; DescriptionError where a number is none or not above zero."""
    root = plugin.element
    horizontal = root.find("horizontal") or Element("horizontal")
    factor = root.number(FACTOR, 1.0)
    if factor < 1e-6:
        raise DescriptionError(plugin.source, f"<{FACTOR}> is {factor}: expected more than 0")
    return WindDescription(
        _wave(horizontal.find("magnitude"), "amplitude_percent"),
        _wave(horizontal.find("direction"), "amplitude"),
        _wave(root.find("vertical"), ""),
        factor,
    )


def unplayed_parts(plugin: Plugin) -> Iterator[str]:
    """Name, with file and line, the parameters that are not played."""
    known = {
        "": ("horizontal", "vertical", FACTOR),
        "horizontal": ("magnitude", "direction"),
        "magnitude": ("time_for_rise", "sin", "noise"),
        "direction": ("time_for_rise", "sin", "noise"),
        "vertical": ("time_for_rise", "noise"),
        "sin": ("amplitude", "amplitude_percent", "period"),
        "noise": NOISE_NUMBERS,
        FACTOR: (),
    }

    def walk(element: Element, name: str) -> Iterator[str]:
        for child in element.children:
            if child.tag in known.get(name, ()):
                yield from walk(child, child.tag)
            else:
                yield f"{child.source}: WindEffects: <{child.tag}>: {SUFFIX}"

    yield from walk(plugin.element, "")


class Wind:
    """The wind of a world and the links that it pushes."""

    def __init__(
        self, world: World, plugin: Plugin, models: Iterable[Model], physics: Physics, seed: int
    ) -> None:
        """Read the plugin of `world`; a seed gives the same wind again."""
        self._description = wind_description(plugin)
        self._steady = np.array(world.wind, float)
        self._step = world.physics.max_step_size
        described = self._description
        waves = (described.magnitude, described.direction, described.vertical)
        self._noises = [
            self._noise(wave, seed, name)
            for wave, name in zip(waves, ("magnitude", "direction", "vertical"), strict=True)
        ]
        self._size = self._up = 0.0
        self.velocity = np.zeros(3)
        self._shares: dict[str, float] = {}
        self._pushed: list[tuple[int, float]] = []
        self._find_links(list(models), physics)

    def _noise(self, wave: Wave, seed: int, name: str) -> NoiseSource:
        # One value stands for the mean of those of a period's steps.
        steps = max(1.0, CONTROL_PERIOD / self._step)
        noise = dataclasses.replace(wave.noise, stddev=wave.noise.stddev / math.sqrt(steps))
        return NoiseSource(noise, stream(seed, f"wind::{name}"))

    def _find_links(self, models: list[Model], physics: Physics) -> None:
        controlled = {
            model.name
            for model in models
            if any(plugin_kind(plugin) == "VelocityControl" for plugin in model.plugins)
        }
        masses = {m.name: sum(link.inertial.mass for link in m.links) for m in models}
        for model, link in blown_links(models):
            mass = link.inertial.mass
            if mass > 0.0 and model.name in controlled:
                share = mass / masses[model.name]
                self._shares[model.name] = self._shares.get(model.name, 0.0) + share
            elif mass > 0.0:
                body = physics.moving_body(body_name(model.name, link.name))
                if body:
                    self._pushed.append((body, mass))

    def blow(self, seconds: float) -> None:
        """Let the wind vary until now, `seconds` since the start, one control period later."""
        described = self._description
        self._size = self._followed(self._size, math.hypot(*self._steady[:2]), described.magnitude)
        self._up = self._followed(self._up, float(self._steady[2]), described.vertical)
        size = self._size * (1.0 + described.magnitude.sine(seconds))
        angle = math.degrees(math.atan2(self._steady[1], self._steady[0]))
        angle += described.direction.sine(seconds)
        size, angle, up = (
            float(noise.apply(np.array([value]))[0])
            for noise, value in zip(self._noises, (size, angle, self._up), strict=True)
        )
        radians = math.radians(angle)
        self.velocity[:] = size * math.cos(radians), size * math.sin(radians), up

    def _followed(self, value: float, wanted: float, wave: Wave) -> float:
        keep = (1.0 - min(1.0, self._step / wave.lag)) ** (CONTROL_PERIOD / self._step)
        return keep * value + (1.0 - keep) * wanted

    def drift(self, model: str, velocity: Array) -> Array:
        """Return what is left of the wind, m/s, of a model set to `velocity` (3,) at each step."""
        share = self._shares.get(model, 0.0)
        changed = share * self._description.factor * self._step
        return changed / (1.0 + changed) * (self.velocity - velocity)

    def push(self, physics: Physics) -> None:
        """Push the links until the next control period."""
        if self._pushed:
            physics.push(
                (body, mass * self._description.factor * (self.velocity - physics.speed(body)))
                for body, mass in self._pushed
            )


def _wave(element: Element | None, amplitude: str) -> Wave:
    if element is None:
        return Wave()
    sine = element.find("sin") or Element("sin")
    noise = element.find("noise")
    numbers = {name: noise.number(name, 0.0) for name in NOISE_NUMBERS} if noise else {}
    if numbers.get("stddev", 0.0) < 0.0:
        text = f"<stddev> is {numbers['stddev']}: expected 0 or more"
        raise DescriptionError(element.source, text)
    wave = Wave(
        element.number("time_for_rise", 1.0),
        sine.number(amplitude, 0.0),
        sine.number("period", 1.0),
        Noise("gaussian", **numbers) if numbers else Noise(),
    )
    for name, value in (("time_for_rise", wave.lag), ("period", wave.period)):
        if value <= 0.0:
            raise DescriptionError(element.source, f"<{name}> is {value}: expected more than 0")
    return wave
