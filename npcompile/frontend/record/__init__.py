"""The hooks that do what Python does and note it in the residual program."""
