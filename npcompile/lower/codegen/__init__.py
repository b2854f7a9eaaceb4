"""From a segment to C++ text: Inductor's output read as data and written as one library."""
