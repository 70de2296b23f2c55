/* The planner as a library, for C and everything that calls C.
 *
 * A question goes in as the text or the file of a scenario, an answer comes out as a JSON document, of the
 * same form as the program writes (docs/reference/result.md). Nothing is printed, no exception leaves the
 * library, and the same question gets the same bytes. Several threads may ask at once.
 *
 *     rackcast_answer* answer = rackcast_size("fleet.json", NULL);
 *     if (rackcast_code(answer) == RACKCAST_OK) puts(rackcast_document(answer));
 *     else fputs(rackcast_message(answer), stderr);
 *     rackcast_free(answer);
 *
 * All texts are UTF-8 and end with a zero byte. A function that returns an answer returns NULL only where
 * there is no memory for one. rackcast.hpp wraps this for C++.
 */
#ifndef RACKCAST_RACKCAST_H
#define RACKCAST_RACKCAST_H

#include <stddef.h>

#if defined(RACKCAST_BUILDING_LIBRARY)
#define RACKCAST_API __attribute__((visibility("default")))
#else
#define RACKCAST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What an answer is. The numbers are the exit codes of the program. */
enum rackcast_code {
  RACKCAST_OK = 0,
  /* A failure of the library's own, or too little memory. */
  RACKCAST_INTERNAL = 1,
  /* The call is wrong: an option out of range, an unknown format. */
  RACKCAST_USAGE = 2,
  /* The scenario, a file or a name is wrong; rackcast_file() and what follows say where. */
  RACKCAST_INVALID_INPUT = 3,
  /* There is a document, and it says why no plan does; without one a limit came too early. */
  RACKCAST_INFEASIBLE = 4,
  /* `cancelled` ended the work; there may be a document of what was known by then. */
  RACKCAST_INTERRUPTED = 130
};

/* Set all to zero, then what is wanted; NULL for no options is the same. */
typedef struct rackcast_options {
  const char* text;        /* the scenario itself: the file named is not read, its name is used in messages */
  const char* catalog;     /* folder with catalogue entries of one's own */
  const char* const* sets; /* "goal.deadline=21 days": values that replace those of the scenario */
  size_t set_count;
  const char* const* limits; /* "10 s" or "events=1e6": the answer is what is known by then */
  size_t limit_count;
  int threads; /* that simulate; 0: one per core. The answer is the same for any number */
  int samples; /* rackcast_uncertainty: 16 to 65536; 0: 256 */
  /* Called now and then with what is counted, how much is done, and of how much; 0: not known. From any
   * thread, but from one at a time. Neither function may throw or ask the library. */
  void (*progress)(void* user, const char* what, size_t done, size_t all);
  /* Asked now and then, from any thread, whether to end the work: not 0 ends it. */
  int (*cancelled)(void* user);
  void* user;          /* handed to both */
  const char* command; /* the command line that a result says it was asked by; NULL: none */
} rackcast_options;

typedef struct rackcast_answer rackcast_answer;

/* Questions, as the commands of the same names. `scenario` is the path of a file. */
RACKCAST_API rackcast_answer* rackcast_size(const char* scenario, const rackcast_options* options);
RACKCAST_API rackcast_answer* rackcast_simulate(const char* scenario, const rackcast_options* options);
RACKCAST_API rackcast_answer* rackcast_explain(const char* scenario, const rackcast_options* options);
RACKCAST_API rackcast_answer* rackcast_uncertainty(const char* scenario, const rackcast_options* options);
RACKCAST_API rackcast_answer* rackcast_campaign(const char* scenario, const rackcast_options* options);
/* Reads a scenario and resolves its names; the document is a line of text. */
RACKCAST_API rackcast_answer* rackcast_check(const char* scenario, const rackcast_options* options);

/* A table of the catalogue: "gpus", "nodes", "models", ... ; with a name that entry. */
RACKCAST_API rackcast_answer* rackcast_catalog(const char* kind, const char* name,
                                               const rackcast_options* options);

/* What the program prints of a document, for 80 columns: a result, a campaign, a comparison or a table.
 * `full`: all sections of a result, and not its first page alone. */
RACKCAST_API rackcast_answer* rackcast_text(const char* document, int full);

/* Lays results of the same kind beside each other: differences to the first, with intervals. There are as
 * many names as documents; they say which is which. */
RACKCAST_API rackcast_answer* rackcast_compare(const char* const* documents, const char* const* names,
                                               size_t count);

/* Writes a report of a result, campaign or comparison document to the path; its ending names the format:
 * .html, .pdf, .md, .txt, .csv, .xlsx or .json. The document of the answer names the files, one per line. */
RACKCAST_API rackcast_answer* rackcast_report(const char* document, const char* path);

RACKCAST_API int rackcast_code(const rackcast_answer* answer);
/* Not 0 where the document has a plan, or an answer to a question without one; also where the work was
 * interrupted. */
RACKCAST_API int rackcast_feasible(const rackcast_answer* answer);
/* "" where there is none. */
RACKCAST_API const char* rackcast_document(const rackcast_answer* answer);
/* Of an error; "" and 0 where there is none or it is not known. The message is whole: place, what was
 * expected, hint. */
RACKCAST_API const char* rackcast_message(const rackcast_answer* answer);
/* The message without place and hint. */
RACKCAST_API const char* rackcast_problem(const rackcast_answer* answer);
RACKCAST_API const char* rackcast_hint(const rackcast_answer* answer);
RACKCAST_API const char* rackcast_file(const rackcast_answer* answer);
RACKCAST_API const char* rackcast_pointer(const rackcast_answer* answer); /* JSON pointer: "/cluster/nodes" */
RACKCAST_API int rackcast_line(const rackcast_answer* answer);
RACKCAST_API int rackcast_column(const rackcast_answer* answer);
RACKCAST_API void rackcast_free(rackcast_answer* answer);

/* "0.1.0" */
RACKCAST_API const char* rackcast_version(void);

#ifdef __cplusplus
}
#endif

#endif
