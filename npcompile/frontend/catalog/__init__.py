"""Facts about functions: pure, inlinable, rewritten as array work, or assumed unchanged."""
