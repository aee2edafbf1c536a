// SPDX-License-Identifier: MIT
#include "observe/injection/libraries.h"

#include <dlfcn.h>

namespace warpgrade::injection {
namespace {

// In two steps, so that cuda.h's macros give the versioned name first.
#define WARPGRADE_TEXT_OF(name) #name
#define WARPGRADE_NAME_OF(name) WARPGRADE_TEXT_OF(name)

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

std::string no_library() {
  const char* const why = ::dlerror();
  return why == nullptr ? "a library cannot be loaded" : why;
}

}  // namespace

#define WARPGRADE_FIND(member, function)                        \
  if (!find(opened, WARPGRADE_NAME_OF(function), this->member)) \
    return std::string(library) + " has no " + WARPGRADE_NAME_OF(function);

std::string Driver::load(const char* library) {
  void* const opened = ::dlopen(library, RTLD_NOW);
  if (opened == nullptr) return no_library();
  WARPGRADE_DRIVER_FUNCTIONS(WARPGRADE_FIND)
  return "";
}

std::string Cupti::load(const char* library) {
  void* const opened = ::dlopen(library, RTLD_NOW);
  if (opened == nullptr) return no_library();
  WARPGRADE_CUPTI_FUNCTIONS(WARPGRADE_FIND)
  return "";
}

}  // namespace warpgrade::injection
