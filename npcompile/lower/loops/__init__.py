"""Defines the typed IR of native loops; its verifier checks the rules of its form.

`codegen/` writes C++ of the IR, in a file for each family of constructs, by the templates in `headers/`.
`service/` compiles it.
"""
