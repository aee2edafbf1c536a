// SPDX-License-Identifier: MIT
// What the start-up code that nvcc generates calls before main(). The device hears of it when the program
// first needs one, so a program that never does pays nothing.
#include <deque>
#include <map>

#include "cudart/client.h"
#include "cudart/host_guard.h"
#include "cudart/kernel_codecs.h"
#include "cudart/libraries.h"

namespace warpgrade::cudart {
namespace {

struct Image {
  const __fatBinC_Wrapper_t* wrapper;
};

struct Name {
  Image* image;
  Registration what;
  const void* host;
  std::string name;
  uint64_t bytes;
};

/// What the program has registered, in its order; handles point into `images`.
struct Registered {
  std::mutex mutex;
  std::deque<Image> images;
  std::deque<Name> names;
  std::map<const void*, std::vector<uint32_t>> sizes;
};

Registered& registered() {
  static auto& only = *new Registered;
  return only;
}

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// The device reads the containers of device code from the program's memory, and learns there how long each is.
void put_containers(Writer& body, const __fatBinC_Wrapper_t& wrapper) {
  body.put(uint32_t(wrapper.magic));
  std::vector<uint64_t> containers = {number_of(wrapper.data)};
  if (wrapper.version == FATBINC_LINK_VERSION) {
    // The linker's own container holds no PTX; the objects that it linked follow, ended by a null.
    containers.clear();
    auto* const* object = static_cast<void* const*>(wrapper.filename_or_fatbins);
    for (; object != nullptr && *object != nullptr; ++object)
      containers.push_back(number_of(*object));
  }
  body.put(uint64_t{containers.size()});
  for (const uint64_t container : containers) body.put(container);
}

void send_image(Client& client, const Image& image) {
  Writer body;
  body.put(Registration::image);
  body.put(number_of(&image));
  put_containers(body, *image.wrapper);
  client.exchange(Message::registration, body);
}

void send_name(Client& client, const Name& name) {
  Writer body;
  body.put(name.what);
  body.put(number_of(name.image));
  body.put(number_of(name.host));
  body.put(name.bytes);
  body.put_text(name.name);
  Reader result = client.exchange(Message::registration, body);
  if (name.what != Registration::managed) return;
  const auto address = result.take<uint64_t>();
  if (address != 0)
    *static_cast<void**>(const_cast<void*>(name.host)) = reinterpret_cast<void*>(address);
}

void add(void** handle, Registration what, const void* host, const char* name, size_t bytes) {
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  all.names.push_back({reinterpret_cast<Image*>(handle), what, host, name, bytes});
  if (Client* const client = Client::if_connected()) send_name(*client, all.names.back());
}

}  // namespace

bool has_registered() { return !registered().images.empty(); }

void register_all(Client& client) {
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  for (const Image& image : all.images) {
    if (image.wrapper != nullptr) send_image(client, image);
  }
  for (const Name& name : all.names) send_name(client, name);
}

namespace {

/// The sizes of a kernel's parameters, or nothing where there is no such kernel.
std::optional<std::vector<uint32_t>> layout_of(const void* function) {
  Client* const client = Client::connected();
  if (client == nullptr) return std::nullopt;
  Registered& all = registered();
  {
    const std::lock_guard lock(all.mutex);
    const auto known = all.sizes.find(function);
    if (known != all.sizes.end()) return known->second;
  }
  Writer body;
  body.put(number_of(function));
  Reader result = client->exchange(Message::layout, body);
  const bool is_known = result.take<uint8_t>() != 0;
  std::vector<uint32_t> sizes(result.take<uint32_t>());
  for (uint32_t& size : sizes) size = result.take<uint32_t>();
  if (!is_known) return std::nullopt;
  const std::lock_guard lock(all.mutex);
  all.sizes[function] = sizes;
  return sizes;
}

}  // namespace

std::vector<uint32_t> parameter_sizes(const void* function) {
  return layout_of(function).value_or(std::vector<uint32_t>());
}

bool is_kernel(const void* function) { return layout_of(function).has_value(); }

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Registered& all = registered();
  const std::lock_guard lock(all.mutex);
  all.images.push_back({static_cast<const __fatBinC_Wrapper_t*>(wrapper)});
  if (Client* const client = Client::if_connected()) send_image(*client, all.images.back());
  return reinterpret_cast<void**>(&all.images.back());
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  Registered& all = registered();
  auto* const image = reinterpret_cast<Image*>(handle);
  const std::lock_guard lock(all.mutex);
  image->wrapper = nullptr;
  std::erase_if(all.names, [&](const Name& name) { return name.image == image; });
  all.sizes.clear();
  Client* const client = Client::if_connected();
  if (client == nullptr) return;
  Writer body;
  body.put(Registration::remove_image);
  body.put(number_of(image));
  client->exchange(Message::registration, body);
}

/// Called before the host's first use of a __managed__ variable, whose initial value is in the PTX.
char __cudaInitModule(void** handle) {
  Client* const client = Client::connected();
  if (client == nullptr) return 1;
  HostGuard::lift();
  Writer body;
  body.put(Registration::load_image);
  body.put(number_of(handle));
  client->exchange(Message::registration, body);
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  add(handle, Registration::kernel, host, name, 0);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int,
                       int) {
  add(handle, Registration::variable, host, name, size);
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t size,
                              int, int) {
  add(handle, Registration::managed, host, name, size);
}

}  // extern "C"
}  // namespace warpgrade::cudart
