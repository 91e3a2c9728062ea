"""Andrews' squeezing mechanism: runs it, prints the evidence and plots its seven angles over time."""

import numpy as np
import zwang

model = zwang.Model(zwang.examples()["andrews"])
result = model.run()
print(result.report)
try:
    import matplotlib.pyplot as plt
except ImportError:  # then numbers
    np.savetxt("andrews.txt", np.column_stack([result.t, result.q]), header="t " + " ".join(model.coordinates))
else:
    plt.figure(figsize=(8, 4.5), layout="constrained")
    angles = (result.q + np.pi) % (2 * np.pi) - np.pi
    plt.plot(1000 * result.t, angles, ".", markersize=3, label=model.coordinates)
    plt.xlabel("t in ms")
    plt.ylabel("angles in rad, modulo 2π")
    plt.legend(loc="upper left", bbox_to_anchor=(1, 1), markerscale=3)
    plt.savefig("andrews.png", dpi=120)
