/* A caller in C. */
#include <string.h>

#include "rackcast/rackcast.h"

int size_asked_from_c(const char* scenario, char* document, size_t room);

int size_asked_from_c(const char* scenario, char* document, size_t room) {
  rackcast_options options = {0};
  rackcast_answer* answer;
  int code;
  options.text = scenario;
  answer = rackcast_size("c.json", &options);
  if (answer == NULL) return RACKCAST_INTERNAL;
  code = rackcast_code(answer);
  if (strlen(rackcast_document(answer)) < room) strcpy(document, rackcast_document(answer));
  rackcast_free(answer);
  return code;
}
