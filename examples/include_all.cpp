// Stands for all examples where what they have in common is compiled once.
#include <triosim/triosim.hpp>
