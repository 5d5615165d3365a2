"""The GPU's clocks, power and temperature while something runs, from NVML, the driver's own library
(https://docs.nvidia.com/deploy/nvml-api/). Where there is none, nothing is known and nothing fails."""
import ctypes
import statistics
import threading
import time

SM, MEMORY = 1, 2  # nvmlClockType_t
NAMES = ("sm_mhz", "memory_mhz", "power_w", "temperature_c")
# Bits of nvmlDeviceGetCurrentClocksEventReasons under which clocks are lower than they could be.
REASONS = {0x4: "power cap", 0x8: "hardware slowdown", 0x20: "thermal", 0x40: "hardware thermal", 0x80: "power brake"}


class Gpu:
    """The first GPU, or one that knows nothing."""

    def __init__(self):
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self.nvml = None
            return
        self.device = ctypes.c_void_p()
        if self.nvml.nvmlInit_v2() or self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
            self.nvml = None

    def driver(self):
        text = ctypes.create_string_buffer(80)
        if not self.nvml or self.nvml.nvmlSystemGetDriverVersion(text, 80):
            return None
        return text.value.decode()

    def _number(self, function, *arguments, kind=ctypes.c_uint):
        value = kind()
        return None if getattr(self.nvml, function)(self.device, *arguments, ctypes.byref(value)) else value.value

    def read(self):
        """(SM MHz, memory MHz, W, degrees Celsius, reasons) now, or None."""
        if not self.nvml:
            return None
        power = self._number("nvmlDeviceGetPowerUsage")
        return (
            self._number("nvmlDeviceGetClockInfo", SM),
            self._number("nvmlDeviceGetClockInfo", MEMORY),
            power / 1000 if power is not None else None,
            self._number("nvmlDeviceGetTemperature", 0),
            self._number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong) or 0,
        )


def named(sample):
    return dict(zip(NAMES, sample)) if sample else None


class Watch:
    """with Watch(gpu) as watch: ...; watch.summary() is then what was seen, twenty times a second."""

    def __init__(self, gpu):
        self.gpu, self.samples, self.over = gpu, [], threading.Event()

    def _sample(self):
        while not self.over.wait(0.05):
            self.samples.append(self.gpu.read())

    def __enter__(self):
        self.thread = threading.Thread(target=self._sample, daemon=True)
        if self.gpu.nvml:
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        if self.thread.is_alive():
            self.thread.join()

    def summary(self):
        """{name: [lowest, median, highest]} and why clocks were held down; None: nothing was seen."""
        found = {}
        for i, name in enumerate(NAMES):
            values = [s[i] for s in self.samples if s and s[i] is not None]
            if values:
                found[name] = [min(values), statistics.median(values), max(values)]
        seen = {text for s in self.samples if s for bit, text in REASONS.items() if s[4] & bit}
        return {**found, "held_down_by": sorted(seen)} if found else None


if __name__ == "__main__":  # a look at this machine
    with Watch(Gpu()) as look:
        time.sleep(1)
    print(Gpu().driver(), look.summary())
