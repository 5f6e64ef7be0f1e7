#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void todo_json_placeholder(void);

#ifdef __cplusplus
}
#endif
