"""The form of a metric that is read when it is asked for."""

from collections.abc import Iterable, Sequence

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

PREFIX = "usage_archive_"
# The values of the labels, and the number.
Samples = Iterable[tuple[Sequence[str], float]]


def gauge(name: str, about: str, labels: Sequence[str], samples: Samples) -> GaugeMetricFamily:
    """A number that rises and falls, for each set of labels."""
    family = GaugeMetricFamily(PREFIX + name, about, labels=labels)
    for values, number in samples:
        family.add_metric(values, number)
    return family


def single(name: str, about: str, number: float | None) -> GaugeMetricFamily:
    """A number without labels; None leaves it out."""
    return gauge(name, about, (), [] if number is None else [((), number)])


def counter(name: str, about: str, labels: Sequence[str], samples: Samples) -> CounterMetricFamily:
    """A number that only rises, for each set of labels; its name ends with `_total`."""
    family = CounterMetricFamily(PREFIX + name, about, labels=labels)
    for values, number in samples:
        family.add_metric(values, number)
    return family
