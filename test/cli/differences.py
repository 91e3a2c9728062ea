"""Derivatives of the numbers that a run gives, by differences of whole runs: two steps, and Richardson's extrapolation."""


def differences(run, name, by, value, part=1e-3):
    """run(name, options...) gives the names of the columns, and rows; the steps are this part of the value, and twice that."""
    def slope(h):
        up, down = (run(name, "--set", "%s=%r" % (by, value + s))[1] for s in (h, -h))
        return [[(u - d) / (2 * h) for u, d in zip(*rows)] for rows in zip(up, down)]
    fine, coarse = slope(part * value), slope(2 * part * value)
    return [[(4 * f - c) / 3 for f, c in zip(*rows)] for rows in zip(fine, coarse)]
