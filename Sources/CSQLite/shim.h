#pragma once
#include <sqlite3.h>

// The destructor constant SQLITE_TRANSIENT is a cast that has no Swift spelling: SQLite takes a copy of the bytes.
static inline int sqlite3_bind_text_copy(sqlite3_stmt *statement, int place, const char *bytes, int count) {
    return sqlite3_bind_text(statement, place, bytes, count, SQLITE_TRANSIENT);
}

static inline int sqlite3_bind_blob_copy(sqlite3_stmt *statement, int place, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, place, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config takes a variable argument list, which Swift cannot call.
static inline int sqlite3_set_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
