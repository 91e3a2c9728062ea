/* A peer is a program of its own that answers questions, one line each:
 *
 *   SCENE RODS METHOD SETTING SECONDS      "rods 10 rk4 40 0.05"
 *
 * asks to move that scene to its end by a method, with a number of steps or a tolerance, again and again for at least so many
 * seconds. The answer is the seconds of one run and where things are at the end, or why there is none:
 *
 *   ok 0.0017 20 0.41 -0.29 ...
 *   no it does not converge
 *
 * Only moving is timed, as processor time; what a program does once per model is not. */
#ifndef ZW_PEERS_PEER_H
#define ZW_PEERS_PEER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Question {
  char scene[32], method[32];
  int rods;
  double setting;
  double least; /* seconds */
} Question;

static inline bool peer_hear(Question* question) {
  char line[200];
  if (!fgets(line, sizeof line, stdin)) return false;
  int words = sscanf(line, "%31s %d %31s %lf %lf", question->scene, &question->rods, question->method,
                     &question->setting, &question->least);
  return words == 5 && question->rods > 0;
}

static inline void peer_answer(double seconds, const double* values, int count) {
  printf("ok %.9g %d", seconds, count);
  for (int i = 0; i < count; i++) printf(" %.17g", values[i]);
  printf("\n");
  fflush(stdout);
}

static inline void peer_refuse(const char* why) {
  printf("no %s\n", why);
  fflush(stdout);
}

static inline double peer_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline double* peer_numbers(int count) {
  double* numbers = (double*)calloc((size_t)count, sizeof(double));
  if (!numbers) {
    fprintf(stderr, "peer: not enough memory\n");
    exit(1);
  }
  return numbers;
}

#endif
