#include "trace/trace-hw_quire.h"
