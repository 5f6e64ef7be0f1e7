#include "CSimdJSON.h"
#include <simdjson.h>

extern "C" void todo_json_placeholder(void) {}
