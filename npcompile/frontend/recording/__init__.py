"""The hooks of a recording, by what they stand for; `record.Recorder` is all of them."""
