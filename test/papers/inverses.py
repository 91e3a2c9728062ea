#!/usr/bin/env python3
"""What `zwang compare --json` shows, against the papers' formulas with inverses drawn at random, by numpy and scipy alone.

    inverses.py PROGRAM     KU93 (33) with any A- and H~, UK98 (24) with any {1,4}-inverse, U96 (11) with any {1}-inverse of D, R_k by
                            pinv(C_k C_k^T), and Gaussians of 1000 possible accelerations of every model"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.linalg as sl

import drawn

program, lies = sys.argv[1], "--lie" in sys.argv
here = pathlib.Path(__file__).resolve().parent
draw = np.random.default_rng(7)
failures, counted = [], 0


def frames(file):
    """The instants of a comparison; a model's own start and ten more."""
    ended = subprocess.run([program, "compare", str(file), "--json"], capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"{file}: {ended.stderr}")
    return json.loads(ended.stdout)["frames"]


def holds(what, got, want, size=0.0):
    global counted
    counted += 1
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = max(np.abs(want).max(initial=0), np.abs(got).max(initial=0), size)
    if not np.abs(got - want).max(initial=0) <= 1e-9 * scale:
        failures.append(what)
        if not lies:
            print(f"{what}: {got} is not {want}")


def look(name, f):
    M, h, A, b = (np.array(f[k], float) for k in ("M", "h", "A", "b"))
    a, Qc, G = np.array(f["a"]), np.array(f["Qc"]), f["G"]
    if lies:
        Qc, G, a = -Qc, 3 * G + 100, a + 0.01
        f["bellman"]["R"] = {k: [[-x for x in row] for row in R] for k, R in f["bellman"]["R"].items()}
    m, n = A.shape
    half = sl.sqrtm(M).real
    a0, C, D = np.linalg.solve(M, h), A @ np.linalg.inv(half), A @ np.linalg.solve(M, A.T)
    d, Ap = b - A @ a0, np.linalg.pinv(A, rcond=1e-11)
    size = np.abs(h).max()
    for _ in range(5):
        # KU93 (33): any {1}-inverse of A, any {1,3}-inverse of H = M^(1/2) N
        Y = draw.normal(size=(n, m))
        Am = Ap + Y - Ap @ A @ Y @ A @ Ap
        N = np.eye(n) - Am @ A
        H = half @ N
        Hp = np.linalg.pinv(H, rcond=1e-11)
        Ht = Hp + (np.eye(n) - Hp @ H) @ draw.normal(size=(n, n))
        X = N @ Ht @ half
        holds(f"{name} KU93 33", M @ (np.eye(n) - X) @ Am @ b - (np.eye(n) - M @ X @ np.linalg.inv(M)) @ h, Qc, size)
        # UK98 (24): any {1,4}-inverse of C
        Cp = np.linalg.pinv(C, rcond=1e-11)
        C14 = Cp + draw.normal(size=(n, m)) @ (np.eye(m) - C @ Cp)
        holds(f"{name} UK98 24", a0 + np.linalg.solve(half, C14 @ d), a, np.abs(a0).max())
        # U96 (11): any {1}-inverse of D
        Dp = np.linalg.pinv(D, rcond=1e-11)
        Y = draw.normal(size=(m, m))
        D1 = Dp + Y - Dp @ D @ Y @ D @ Dp
        holds(f"{name} U96 11", a0 + np.linalg.solve(M, A.T @ D1 @ d), a, np.abs(a0).max())
    # R_k belongs to the first k columns
    order, R = f["bellman"]["order"], f["bellman"]["R"]
    for k in sorted(R, key=int):
        Ck = C[:, order[: int(k)]]
        holds(f"{name} R_{k}", R[k], np.linalg.pinv(Ck @ Ck.T, rcond=1e-10))
    # no possible acceleration has a smaller Gaussian
    s = draw.normal(size=(n, 1000)) * (1 + np.abs(a).max())
    tried = (Ap @ b)[:, None] + (np.eye(n) - Ap @ A) @ s
    gaussians = 0.5 * np.einsum("ik,ij,jk->k", tried - a0[:, None], M, tried - a0[:, None])
    global counted
    counted += 1000
    if not np.all(gaussians >= G * (1 - 1e-10) - 1e-13 * gaussians.max()):
        failures.append(f"{name}: a possible acceleration has a smaller Gaussian")
    holds(f"{name} G", 0.5 * (a - a0) @ M @ (a - a0), G)


files = [(p.stem, p.read_text()) for p in sorted((here / "data").glob("*.zw")) if "chart" not in p.stem]
files += [(f"drawn {k}", drawn.model(k)[0]) for k in range(10)]
with tempfile.TemporaryDirectory() as folder:
    for name, text in files[:3] if lies else files:
        file = pathlib.Path(folder) / "model.zw"
        file.write_text(text)
        for f in frames(file):
            look(f"{name} t = {f['t']:.3g}", f)
for what in [] if lies else failures[:20]:
    print("FAIL", what)
print(f"{counted} comparisons, {len(failures)} failed")
if lies:
    needed = ("KU93 33", "UK98 24", "U96 11", "R_", "smaller Gaussian", " G")
    unseen = [k for k in needed if not any(k in what for what in failures)]
    print("wrong signs not seen:", unseen)
    sys.exit(1 if unseen else 0)
sys.exit(1 if failures or counted == 0 else 0)
