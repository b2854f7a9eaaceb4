"""A mixture of Gaussians by expectation and maximisation, until the likelihood stays.

python examples/gaussian_mixture.py
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


def logsumexp(a, axis):
    most = np.max(a, axis=axis, keepdims=True)
    return np.squeeze(most, axis=axis) + np.log(np.sum(np.exp(a - most), axis=axis))


def log_gaussian(X, means, covariances):
    """The logarithm of each Gaussian's density at each point: (n, k)."""
    n, d = X.shape
    k = len(means)
    found = np.empty((n, k))
    for j in range(k):
        L = np.linalg.cholesky(covariances[j])
        z = np.linalg.solve(L, (X - means[j]).T)
        log_det = 2 * np.sum(np.log(np.diag(L)))
        found[:, j] = -0.5 * (np.sum(z**2, axis=0) + d * np.log(2 * np.pi) + log_det)
    return found


def e_step(X, weights, means, covariances):
    """How much each point belongs to each Gaussian (n, k), and the mean log likelihood."""
    weighted = log_gaussian(X, means, covariances) + np.log(weights)
    total = logsumexp(weighted, axis=1)
    return np.exp(weighted - total[:, np.newaxis]), total.mean()


def m_step(X, responsibility, floor=1e-6):
    """The mixture that fits these memberships best."""
    n, d = X.shape
    size = responsibility.sum(axis=0) + 10 * np.finfo(X.dtype).eps
    weights = size / n
    means = responsibility.T @ X / size[:, np.newaxis]
    centred = X[:, np.newaxis, :] - means
    covariances = np.einsum("nk,nki,nkj->kij", responsibility, centred, centred) / size[:, None, None]
    covariances[:, np.arange(d), np.arange(d)] += floor
    return weights, means, covariances


@npcompile.jit
def fit(X, means, tolerance=1e-4, most=100):
    """Weights (k,), means (k, d), covariances (k, d, d), and the likelihood at each iteration."""
    k = len(means)
    weights = np.full(k, 1 / k)
    covariances = np.tile(np.cov(X.T), (k, 1, 1))
    likelihoods = []
    for iteration in range(most):
        responsibility, likelihood = e_step(X, weights, means, covariances)
        weights, means, covariances = m_step(X, responsibility)
        likelihoods.append(likelihood)
        if iteration > 0 and abs(likelihood - likelihoods[-2]) < tolerance:
            break
    else:
        print(f"not converged after {most} iterations")
    return weights, means, covariances, np.array(likelihoods)


@npcompile.jit
def predict(X, weights, means, covariances):
    """The likeliest Gaussian of each point, and how sure that is."""
    responsibility, _ = e_step(X, weights, means, covariances)
    labels = responsibility.argmax(axis=1)
    return labels, np.take_along_axis(responsibility, labels[:, None], axis=1)[:, 0]


def blobs(n, seed):
    """Points of three Gaussians in the plane."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]])
    shapes = np.array([[[1.0, 0.3], [0.0, 0.5]], [[0.6, 0.0], [0.4, 0.9]], [[0.4, 0.0], [0.0, 1.2]]])
    label = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    return centres[label] + np.einsum("nij,nj->ni", shapes[label], rng.standard_normal((n, 2)))


def example(size=5000, seed=0):
    X = blobs(size, seed)
    return fit, (X, X[:3] + 0.1)


def classify(size=5000, seed=0):
    X = blobs(size, seed)
    k = 3
    return predict, (X, np.full(k, 1 / k), X[:3].copy(), np.tile(np.eye(2), (k, 1, 1)))


def main():
    X = blobs(3000, 1)
    weights, means, covariances, likelihoods = fit(X, X[:3])
    labels, sure = predict(X, weights, means, covariances)
    print(f"{len(likelihoods)} iterations, log likelihood {likelihoods[-1]:.4f}")
    for j in np.argsort(-weights):
        print(f"  weight {weights[j]:.3f} around {np.round(means[j], 2)}: {np.sum(labels == j)} points")
    print(f"  surely assigned: {np.mean(sure > 0.9):.1%}")
    compare(example)
    compare(classify)


if __name__ == "__main__":
    main()
