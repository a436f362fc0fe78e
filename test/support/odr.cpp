// Linked into every test program beside its tests, so that a missing `inline` in any header fails at link time.
#include <triosim/triosim.hpp>
