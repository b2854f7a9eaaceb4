"""The tests; a package, so that lanes share the checker and the table of cases by one name."""
