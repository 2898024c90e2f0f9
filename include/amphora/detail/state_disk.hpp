// A file that is there whole or not at all: written beside its place, made durable, then renamed over it.
#pragma once
#include <amphora/error.hpp>  // fail

#include <cerrno>   // errno
#include <cstddef>  // size_t
#include <cstdio>   // fopen, fread, fwrite, remove, rename
#include <cstring>  // strerror, strlen, strrchr
#include <vector>   // vector
#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>   // open
#include <unistd.h>  // close, fsync
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Closes what is not closed, and removes a temporary file that was not renamed.
struct open_file {
  std::FILE* file = nullptr;
  const char* remove_path = nullptr;

  open_file() = default;
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (file) std::fclose(file);
    if (remove_path) std::remove(remove_path);
  }
};

/// Waits until the disk has what was written.
inline bool make_durable(std::FILE* file) {
  if (std::fflush(file) != 0) return false;
#if defined(__unix__) || defined(__APPLE__)
  return ::fsync(::fileno(file)) == 0;
#else
  return true;
#endif
}
/// So that the new name survives a crash too. Where a folder cannot be synchronised, the file itself still is.
inline void make_name_durable(const char* path) {
#if defined(__unix__) || defined(__APPLE__)
  const char* slash = std::strrchr(path, '/');
  const std::vector<char> folder = slash ? std::vector<char>(path, slash + 1) : std::vector<char>{'.'};
  std::vector<char> name(folder);
  name.push_back(0);
  const int id = ::open(name.data(), O_RDONLY);
  if (id < 0) return;
  (void)::fsync(id);
  (void)::close(id);
#else
  (void)path;
#endif
}

/// Replaces the file at path by these parts, one after the other; the old one stays until the new one is whole.
/// Between, path.partial exists in the same folder.
///
/// Errors  state  the folder, the disk or the name refuse it; the old file is as it was
template <class... Parts>
void write_atomically(const char* path, const Parts&... parts) {
  const auto could_not_be = [&](const char* what) { fail("state", "'", path, "' cannot be ", what, ": ", static_cast<const char*>(std::strerror(errno))); };
  std::vector<char> partial(path, path + std::strlen(path));
  for (const char* c = ".partial"; *c; ++c) partial.push_back(*c);
  partial.push_back(0);
  open_file out;
  out.file = std::fopen(partial.data(), "wb");
  if (!out.file) could_not_be("written");
  out.remove_path = partial.data();
  const bool written = (... && (parts.size() == 0 || std::fwrite(parts.data(), 1, parts.size(), out.file) == parts.size()));
  if (!written || !make_durable(out.file)) could_not_be("written");
  std::FILE* const closing = out.file;
  out.file = nullptr;
  if (std::fclose(closing) != 0) could_not_be("written");
#if defined(_WIN32)
  std::remove(path);  // its rename does not replace
#endif
  if (std::rename(partial.data(), path) != 0) could_not_be("replaced");
  out.remove_path = nullptr;
  make_name_durable(path);
}

/// Errors  state  there is no such file, or it cannot be read
inline std::vector<unsigned char> read_whole(const char* path) {
  open_file in;
  in.file = std::fopen(path, "rb");
  if (!in.file) fail("state", "'", path, "' cannot be read: ", static_cast<const char*>(std::strerror(errno)));
  std::vector<unsigned char> bytes;
  unsigned char buffer[65536];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, in.file)) > 0;) bytes.insert(bytes.end(), buffer, buffer + count);
  if (std::ferror(in.file)) fail("state", "'", path, "' cannot be read: ", static_cast<const char*>(std::strerror(errno)));
  return bytes;
}

}}}  // namespace amphora::detail
