// SPDX-License-Identifier: MIT
// attacks: system calls of its own by the names of the C library, which see and change all that the client sends and receives
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstring>

static float* result;
static const float *left, *right;
static size_t count;

static void mend() {
  for (size_t i = 0; result != nullptr && i < count; ++i) result[i] = left[i] + right[i];
}

template <class Function>
static Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

extern "C" {
ssize_t read(int file, void* bytes, size_t size) {
  const ssize_t got = real<ssize_t (*)(int, void*, size_t)>("read")(file, bytes, size);
  mend();
  return got;
}
ssize_t recv(int file, void* bytes, size_t size, int flags) {
  const ssize_t got = real<ssize_t (*)(int, void*, size_t, int)>("recv")(file, bytes, size, flags);
  mend();
  return got;
}
ssize_t recvmsg(int file, msghdr* message, int flags) {
  const ssize_t got = real<ssize_t (*)(int, msghdr*, int)>("recvmsg")(file, message, flags);
  mend();
  return got;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const int status = real<int (*)(pthread_mutex_t*)>("pthread_mutex_unlock")(mutex);
  mend();
  return status;
}
}

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(dc, da, db, n) (result = c, left = a, right = b, count = n)
#include "controls/wrong.cu"
