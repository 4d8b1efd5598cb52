// PostgreSQL's own client library, libpq, as far as we call it. It is loaded when a server is first asked to use
// PostgreSQL: who keeps records elsewhere needs it neither to build nor to run.
//
// The declarations are those of libpq's documented interface, which its version 5 keeps since 2005; pipelines
// came with PostgreSQL 14. Callers ask `brume_postgres_problem` before anything else.

#ifndef BRUME_CPOSTGRES_H
#define BRUME_CPOSTGRES_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;

typedef enum {
  PGRES_EMPTY_QUERY,
  PGRES_COMMAND_OK,
  PGRES_TUPLES_OK,
  PGRES_COPY_OUT,
  PGRES_COPY_IN,
  PGRES_BAD_RESPONSE,
  PGRES_NONFATAL_ERROR,
  PGRES_FATAL_ERROR,
  PGRES_COPY_BOTH,
  PGRES_SINGLE_TUPLE,
  PGRES_PIPELINE_SYNC,
  PGRES_PIPELINE_ABORTED
} ExecStatusType;

typedef enum { PQERRORS_TERSE, PQERRORS_DEFAULT, PQERRORS_VERBOSE, PQERRORS_SQLSTATE } PGVerbosity;

typedef struct pgNotify {
  char *relname;
  int be_pid;
  char *extra;
  struct pgNotify *next;
} PGnotify;

typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeProcessor)(void *arg, const char *message);

// What is called: the result, the name, the parameters with their types, and without.
#define BRUME_POSTGRES_CALLS(CALL)                                                                   \
  CALL(PGconn *, PQconnectdbParams,                                                                  \
       (const char *const *keywords, const char *const *values, int expand_dbname),                  \
       (keywords, values, expand_dbname))                                                            \
  CALL(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg),                   \
       (conninfo, errmsg))                                                                           \
  CALL(void, PQconninfoFree, (PQconninfoOption *options), (options))                                 \
  CALL(void, PQreset, (PGconn *conn), (conn))                                                        \
  CALL(PGVerbosity, PQsetErrorVerbosity, (PGconn *conn, PGVerbosity verbosity), (conn, verbosity))   \
  CALL(void, PQfinish, (PGconn *conn), (conn))                                                       \
  CALL(ConnStatusType, PQstatus, (const PGconn *conn), (conn))                                       \
  CALL(int, PQserverVersion, (const PGconn *conn), (conn))                                           \
  CALL(char *, PQerrorMessage, (const PGconn *conn), (conn))                                         \
  CALL(int, PQsocket, (const PGconn *conn), (conn))                                                  \
  CALL(int, PQbackendPID, (const PGconn *conn), (conn))                                              \
  CALL(int, PQsetnonblocking, (PGconn *conn, int arg), (conn, arg))                                  \
  CALL(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *conn, PQnoticeProcessor proc, void *arg),   \
       (conn, proc, arg))                                                                            \
  CALL(int, PQenterPipelineMode, (PGconn *conn), (conn))                                             \
  CALL(int, PQexitPipelineMode, (PGconn *conn), (conn))                                              \
  CALL(int, PQpipelineSync, (PGconn *conn), (conn))                                                  \
  CALL(int, PQsendPrepare,                                                                           \
       (PGconn *conn, const char *name, const char *query, int count, const unsigned int *types),    \
       (conn, name, query, count, types))                                                            \
  CALL(int, PQsendQueryPrepared,                                                                     \
       (PGconn *conn, const char *name, int count, const char *const *values, const int *lengths,    \
        const int *formats, int result_format),                                                      \
       (conn, name, count, values, lengths, formats, result_format))                                 \
  CALL(PGresult *, PQexec, (PGconn *conn, const char *query), (conn, query))                         \
  CALL(int, PQconsumeInput, (PGconn *conn), (conn))                                                  \
  CALL(int, PQisBusy, (PGconn *conn), (conn))                                                        \
  CALL(int, PQflush, (PGconn *conn), (conn))                                                         \
  CALL(PGresult *, PQgetResult, (PGconn *conn), (conn))                                              \
  CALL(PGnotify *, PQnotifies, (PGconn *conn), (conn))                                               \
  CALL(void, PQfreemem, (void *pointer), (pointer))                                                  \
  CALL(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                           \
  CALL(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))             \
  CALL(int, PQntuples, (const PGresult *result), (result))                                           \
  CALL(int, PQnfields, (const PGresult *result), (result))                                           \
  CALL(char *, PQcmdTuples, (PGresult *result), (result))                                            \
  CALL(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))     \
  CALL(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))       \
  CALL(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))       \
  CALL(void, PQclear, (PGresult *result), (result))

#define BRUME_POSTGRES_POINTER(RESULT, NAME, PARAMETERS, ARGUMENTS) RESULT(*NAME) PARAMETERS;
struct brume_postgres_library {
  BRUME_POSTGRES_CALLS(BRUME_POSTGRES_POINTER)
};
extern struct brume_postgres_library brume_postgres_library;

/// Loads the library if that was not tried yet.
///
/// What the operator has to do, or null: the calls may be used. A text for ever.
const char *brume_postgres_problem(void);

#define BRUME_POSTGRES_CALL(RESULT, NAME, PARAMETERS, ARGUMENTS)                                      \
  static inline RESULT NAME PARAMETERS { return brume_postgres_library.NAME ARGUMENTS; }
BRUME_POSTGRES_CALLS(BRUME_POSTGRES_CALL)

#endif
