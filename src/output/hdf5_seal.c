/* A sum at the end of an HDF5 file, so that damage is known before libhdf5 has to live with it. */
#include <stdio.h>
#include <string.h>

#include "output/hdf5.h"

enum { SEAL = 16, PIECE = 64 * 1024 };

static const char mark[8] = {'z', 'w', 'a', 'n', 'g', 's', 'u', 'm'};

/* FNV-1a over all bytes but the last `rest`; what is kept back is left in `end`. */
static bool sum_file(FILE* file, size_t rest, uint64_t* sum, unsigned char end[SEAL]) {
  unsigned char piece[PIECE + SEAL];
  size_t kept = 0;
  *sum = 14695981039346656037u;
  for (size_t got; (got = fread(piece + kept, 1, PIECE, file)) > 0;) {
    size_t size = kept + got, use = size > rest ? size - rest : 0;
    for (size_t i = 0; i < use; i++) *sum = (*sum ^ piece[i]) * 1099511628211u;
    kept = size - use;
    memmove(piece, piece + use, kept);
  }
  memcpy(end, piece, kept);
  return !ferror(file) && kept == rest;
}

/* The seal of a sum: the lowest byte first. */
static void make_seal(uint64_t sum, unsigned char seal[SEAL]) {
  memcpy(seal, mark, sizeof mark);
  for (int i = 0; i < 8; i++) seal[8 + i] = (unsigned char)(sum >> (8 * i));
}

bool zw_hdf5_seal(const char* path) {
  unsigned char seal[SEAL];
  uint64_t sum;
  FILE* file = fopen(path, "r+b");
  if (!file) return false;
  bool is_fine = sum_file(file, 0, &sum, seal);
  make_seal(sum, seal);
  is_fine = is_fine && fseek(file, 0, SEEK_END) == 0 && fwrite(seal, 1, SEAL, file) == SEAL;
  return fclose(file) == 0 && is_fine;
}

bool zw_hdf5_is_whole(const char* path) {
  unsigned char found[SEAL], seal[SEAL];
  uint64_t sum;
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  bool is_read = sum_file(file, SEAL, &sum, found);
  fclose(file);
  if (!is_read) return false;
  make_seal(sum, seal);
  return memcmp(found, mark, sizeof mark) != 0 || memcmp(found, seal, SEAL) == 0;
}
