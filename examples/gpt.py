"""A small GPT in NumPy: the forward pass, and text by taking the likeliest next token again and again.

    python examples/gpt.py

The weights are random, so the text means nothing; the arithmetic is that of GPT-2.
"""

from __future__ import annotations

import numpy as np

import npcompile
from side_by_side import compare


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def layer_norm(x, g, b, eps: float = 1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


def linear(x, w, b):
    return x @ w + b


def ffn(x, c_fc, c_proj):
    return linear(gelu(linear(x, **c_fc)), **c_proj)


def attention(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v


def mha(x, c_attn, c_proj, n_head):
    """Causal self-attention of x (tokens, width) with so many heads."""
    x = linear(x, **c_attn)
    qkv_heads = [np.split(part, n_head, axis=-1) for part in np.split(x, 3, axis=-1)]
    causal_mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
    out_heads = [attention(q, k, v, causal_mask) for q, k, v in zip(*qkv_heads, strict=True)]
    return linear(np.hstack(out_heads), **c_proj)


def transformer_block(x, mlp, attn, ln_1, ln_2, n_head):
    x = x + mha(layer_norm(x, **ln_1), **attn, n_head=n_head)
    return x + ffn(layer_norm(x, **ln_2), **mlp)


@npcompile.jit
def gpt2(inputs, wte, wpe, blocks, ln_f, n_head):
    """The logits (tokens, vocabulary) for a list of token numbers."""
    x = wte[inputs] + wpe[range(len(inputs))]
    for block in blocks:
        x = transformer_block(x, **block, n_head=n_head)
    return layer_norm(x, **ln_f) @ wte.T


def generate(inputs, params, n_head, n_tokens_to_generate):
    """So many tokens more; each is a call of gpt2 on one more token."""
    inputs = list(inputs)
    for _ in range(n_tokens_to_generate):
        logits = gpt2(inputs, **params, n_head=n_head)
        inputs.append(int(np.argmax(logits[-1])))
    return inputs[-n_tokens_to_generate:]


def random_weights(vocabulary, context, width, layers, seed):
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return rng.normal(0, 0.08, shape).astype(np.float32)

    def dense(n_in, n_out):
        return {"w": normal(n_in, n_out), "b": normal(n_out)}

    def norm():
        return {"g": 1 + normal(width), "b": normal(width)}

    blocks = [
        {
            "mlp": {"c_fc": dense(width, 4 * width), "c_proj": dense(4 * width, width)},
            "attn": {"c_attn": dense(width, 3 * width), "c_proj": dense(width, width)},
            "ln_1": norm(),
            "ln_2": norm(),
        }
        for _ in range(layers)
    ]
    return {"wte": normal(vocabulary, width), "wpe": normal(context, width), "blocks": blocks, "ln_f": norm()}


def example(size=64, seed=0, tokens=32, layers=2):
    params = random_weights(256, 64, size, layers, seed)
    inputs = np.random.default_rng(seed).integers(0, 256, tokens).tolist()
    return gpt2, (inputs, *params.values(), 4)


def main():
    params = random_weights(vocabulary=256, context=64, width=64, layers=2, seed=0)
    prompt = list(b"not all heroes wear capes")
    print(bytes(prompt), "->", bytes(generate(prompt, params, n_head=4, n_tokens_to_generate=8)))
    compare(example)


if __name__ == "__main__":
    main()
