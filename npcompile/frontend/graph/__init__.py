"""The builder of the residual program: values, reads from outside, escapes and identity."""
