"""Attention by whole batches, beside torch's own."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.extra


@pytest.fixture
def attention(need_extra):
    need_extra("transformers")
    from ravenbench.ext.encoders import sentences

    return sentences


@pytest.mark.parametrize("keys", [1, 5, 16, 67])
@pytest.mark.parametrize("spread", [0.1, 3.0, 40.0])
def test_weights_are_the_softmax_of_the_scores(attention, need_extra, keys, spread):
    torch = need_extra("torch")
    torch.manual_seed(keys)
    scores = (spread * torch.randn(6, 4, keys) - spread).bfloat16()
    bias = torch.zeros(2, 4, keys)
    bias[:, :, keys // 2 + 1 :] = attention.MASKED
    found = scores.clone()
    attention.soften(found.view(torch.uint16).numpy(), bias.numpy(), 0.3)
    plain = torch.softmax(scores.float() * 0.3 + bias.repeat_interleave(3, 0), -1)
    # Half of the distance of two numbers in bfloat16, and the polynomial's error.
    assert (found.float() - plain).abs().max() <= 2**-9 + 1e-5
    assert ((found.float() - plain).abs() <= plain * (2**-8 + 1e-5) + 1e-30).all()


WEIGHTS = """
import hashlib, numpy as np
from ravenbench.ext.encoders.sentences import soften
scores = (np.random.default_rng(0).standard_normal((24, 256, 256)).astype(np.float32) * 3).view(np.uint32) >> 16
soften(found := scores.astype(np.uint16), np.zeros((2, 1, 256), np.float32), 32**-0.5)
print(hashlib.sha256(found.tobytes()).hexdigest())
"""


def test_weights_are_the_same_bytes_whether_compiled_or_read_from_the_cache(attention, tmp_path):
    own = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [subprocess.run([sys.executable, "-c", WEIGHTS], env=own, capture_output=True, check=True) for _ in range(2)]
    assert list(tmp_path.rglob("sentences.soften*.nbc"))
    assert said[0].stdout == said[1].stdout


@pytest.mark.parametrize("seen", ["all", "begin", "window"])
def test_attention_is_that_of_torch(attention, need_extra, seen):
    torch = need_extra("torch")
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 12, 4, 8).bfloat16().transpose(1, 2) for _ in range(3))
    at = torch.arange(12)
    begin = (at < torch.tensor([12, 7, 1])[:, None])[:, None, None]
    window = ((at[:, None] - at).abs() < 4) & begin | torch.eye(12).bool()
    mask = {"all": None, "begin": begin, "window": window}
    found, _ = attention._attend(None, query, key, value, mask[seen], scaling=0.5, is_causal=False)
    plain = torch.nn.functional.scaled_dot_product_attention(
        query.float(), key.float(), value.float(), attn_mask=mask[seen], scale=0.5
    )
    assert found.shape == (3, 12, 4, 8)
    assert (found.float() - plain.transpose(1, 2)).abs().max() <= 0.05
    assert (found.float() - plain.transpose(1, 2)).abs().mean() <= 0.004


def test_what_it_cannot_do_is_left_to_torch(attention, need_extra):
    torch = need_extra("torch")
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 3, 6, 8).bfloat16() for _ in range(3))
    found, _ = attention._attend(None, query, key, value, None, scaling=0.5, is_causal=True)
    plain = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, scale=0.5)
    assert torch.equal(found, plain.transpose(1, 2))
    added = torch.zeros(2, 3, 6, 6)
    found, _ = attention._attend(None, query, key, value, None, scaling=0.5, is_causal=False, position_bias=added)
    plain = torch.nn.functional.scaled_dot_product_attention(query, key, value, scale=0.5, attn_mask=added.bfloat16())
    assert torch.allclose(found, plain.transpose(1, 2), atol=0.02)
