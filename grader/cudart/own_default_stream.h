// SPDX-License-Identifier: MIT
#pragma once

// The names that end with _ptsz and _ptds, which programs use that nvcc compiles with --default-stream per-thread: their
// null stream is the calling thread's own default stream.

extern "C" {
/// libcudart defines it, libcuda uses it, too. Whose default stream the null stream is in calls of this thread from now
/// on; gives the setting before.
bool __cudaOwnDefaultStream(bool is_threads);
}

namespace warpgrade::cudart {

/// Whose default stream the null stream is, for as long as this lives.
class NullStream {
 public:
  explicit NullStream(bool is_threads) : before_(__cudaOwnDefaultStream(is_threads)) {}
  ~NullStream() { __cudaOwnDefaultStream(before_); }
  NullStream(const NullStream&) = delete;
  NullStream& operator=(const NullStream&) = delete;

 private:
  const bool before_;
};

/// A function as it is under its name with _ptsz or _ptds.
template <auto* Function>
struct OwnDefaultStream;

template <class Result, class... Parameter, Result (*Function)(Parameter...)>
struct OwnDefaultStream<Function> {
  static Result call(Parameter... parameter) {
    const NullStream null_stream(true);
    return Function(parameter...);
  }
};

}  // namespace warpgrade::cudart

/// Exports `name`, `binding` it (weak or globl), as a jump to where the variable `target` points. The headers declare
/// names with types that a definition in C++ would have to repeat.
#if defined(__x86_64__)
#define WARPGRADE_JUMP(binding, name, target)                                  \
  __asm__(".text\n." #binding " " #name "\n.type " #name ", @function\n" #name \
          ": endbr64\njmp *" #target "(%rip)\n")
#elif defined(__aarch64__)
#define WARPGRADE_JUMP(binding, name, target)                                  \
  __asm__(".text\n." #binding " " #name "\n.type " #name ", @function\n" #name \
          ": bti c\nadrp x16, " #target "\nldr x16, [x16, :lo12:" #target "]\nbr x16\n")
#else
#error "no jump is written for this processor"
#endif

/// Exports `name` with `suffix`, which calls the function named last.
#define WARPGRADE_OWN_DEFAULT_STREAM(binding, name, suffix, ...)            \
  extern "C" {                                                              \
  __attribute__((visibility("hidden"), used)) extern decltype(&__VA_ARGS__) \
      const warpgrade_##binding##_##name##suffix =                          \
          &warpgrade::cudart::OwnDefaultStream<&__VA_ARGS__>::call;         \
  }                                                                         \
  WARPGRADE_JUMP(binding, name##suffix, warpgrade_##binding##_##name##suffix);
