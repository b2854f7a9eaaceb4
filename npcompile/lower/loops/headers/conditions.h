// Tells the compiler how often conditions hold.
#pragma once

// A condition that holds once in many thousands of times. Of one that is only unlikely GCC takes a tenth, and keeps
// values in memory that live across the calls that are made then.
#define NPL_RARELY(...) __builtin_expect_with_probability(bool(__VA_ARGS__), false, 0.9999)
