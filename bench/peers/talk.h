/* Talking to a peer: a process of its own, asked by lines through its standard input and heard through its output. The
 * questions and answers are those of peer.h. A peer that is not installed is never asked. */
#ifndef ZW_PEERS_TALK_H
#define ZW_PEERS_TALK_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Peer {
  const char* name;
  pid_t process; /* 0: not installed */
  FILE *to, *from;
  char* line; /* the last answer */
  size_t room;
} Peer;

static inline void talk_fail(const char* name, const char* why) {
  fprintf(stderr, "bench: %s: %s\n", name, why);
  exit(1);
}

/* A program and its only argument, or NULL; a program NULL is not installed. */
static inline Peer talk_begin(const char* name, const char* program, const char* argument) {
  Peer peer = {.name = name};
  int to[2], from[2];
  if (!program) return peer;
  if (pipe(to) || pipe(from)) talk_fail(name, "there is no pipe");
  fcntl(to[1], F_SETFD, FD_CLOEXEC), fcntl(from[0], F_SETFD, FD_CLOEXEC); /* not for the peers that begin later */
  signal(SIGPIPE, SIG_IGN); /* a peer that ends is noticed by its missing answer */
  fflush(stdout);
  peer.process = fork();
  if (peer.process < 0) talk_fail(name, "there is no process");
  if (peer.process == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(to[0], STDIN_FILENO), dup2(from[1], STDOUT_FILENO);
    close(to[0]), close(to[1]), close(from[0]), close(from[1]);
    setenv("OMP_NUM_THREADS", "1", 1), setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execl(program, program, argument, (char*)NULL);
    _exit(127);
  }
  close(to[0]), close(from[1]);
  peer.to = fdopen(to[1], "w"), peer.from = fdopen(from[0], "r");
  if (!peer.to || !peer.from) talk_fail(name, "there is no pipe");
  return peer;
}

/* The seconds of one run, and the numbers at its end; false if it does not get there. */
static inline bool talk_ask(Peer* peer, const char* question, double* seconds, double* values, int count) {
  bool is_asked = fprintf(peer->to, "%s\n", question) > 0 && fflush(peer->to) == 0;
  if (!is_asked || getline(&peer->line, &peer->room, peer->from) < 0) talk_fail(peer->name, "has ended");
  int got = 0, begin = 0;
  if (strncmp(peer->line, "no ", 3) == 0) return false;
  if (sscanf(peer->line, "ok %lf %d%n", seconds, &got, &begin) != 2)
    talk_fail(peer->name, "answers with something else");
  if (got != count) talk_fail(peer->name, "answers with another number of values");
  char* text = peer->line + begin;
  for (int i = 0; i < count; i++) values[i] = strtod(text, &text);
  return true;
}

static inline void talk_end(Peer* peer) {
  if (peer->process == 0) return;
  fclose(peer->to);
  fclose(peer->from);
  waitpid(peer->process, NULL, 0);
  free(peer->line);
}

#endif
