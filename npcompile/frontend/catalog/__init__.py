"""The catalog of functions: lists and predicates say which are pure, inlinable, rewritten or assumed
unchanged."""
