// Named arrays in one block of bytes: what a state file holds, put together in memory and taken apart again.
#pragma once
#include <amphora/error.hpp>             // fail
#include <amphora/format/format_id.hpp>  // format_id, size_of, name_of
#include <amphora/tensor/shape.hpp>      // shape

#include <boost/crc.hpp>  // crc_32_type

#include <cstddef>      // size_t
#include <cstdint>      // uint8_t, uint32_t, uint64_t
#include <cstring>      // memcmp, memcpy, strlen
#include <type_traits>  // is_same_v
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The type of an array's numbers: a format's number as in format_id, or one of these. Part of the file; never changes.
enum class state_type : std::uint8_t { boolean = 16, byte = 17, i32 = 18, i64 = 19, u32 = 20, u64 = 21 };

constexpr state_type state_type_of(format_id format) { return static_cast<state_type>(format); }
constexpr int width_of(state_type type) {
  switch (type) {
    case state_type::boolean: case state_type::byte: return 1;
    case state_type::i32: case state_type::u32: return 4;
    case state_type::i64: case state_type::u64: return 8;
    default: return static_cast<int>(type) <= 6 ? size_of(static_cast<format_id>(type)) : 0;
  }
}
constexpr const char* name_of(state_type type) {
  switch (type) {
    case state_type::boolean: return "bool";
    case state_type::byte: return "byte";
    case state_type::i32: return "i32";
    case state_type::i64: return "i64";
    case state_type::u32: return "u32";
    case state_type::u64: return "u64";
    default: return name_of(static_cast<format_id>(type));
  }
}

inline std::uint32_t crc32(const void* bytes, std::size_t size, const void* more = nullptr, std::size_t more_size = 0) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes, size);
  sum.process_bytes(more, more_size);
  return sum.checksum();
}

/// Numbers of `width` bytes between this machine's order and the file's, which is little-endian.
inline void swap_unless_little(void* numbers, std::size_t size, int width) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  unsigned char* byte = static_cast<unsigned char*>(numbers);
  for (std::size_t i = 0; i + static_cast<std::size_t>(width) <= size; i += static_cast<std::size_t>(width))
    for (int k = 0; k < width / 2; ++k) {
      const unsigned char kept = byte[i + k];
      byte[i + k] = byte[i + width - 1 - k], byte[i + width - 1 - k] = kept;
    }
#else
  (void)numbers, (void)size, (void)width;
#endif
}
template <class T> void append_number(std::vector<unsigned char>& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * i)));
}
template <class T> T number_at(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::uint64_t(bytes[i]) << (8 * i);
  return static_cast<T>(value);
}

/// One array as it stands in a file. The name is not terminated.
struct state_array {
  const char* name;
  std::size_t name_size;
  state_type type;
  amphora::shape shape;
  const unsigned char* data;
  std::size_t size;

  bool is_named(const char* other) const { return std::strlen(other) == name_size && std::memcmp(other, name, name_size) == 0; }
  void describe(text& out) const {
    out.append("'"), out.append(name, name_size), out.append("' ("), out.append(name_of(type)), out.append(" "), shape.describe(out), out.append(")");
  }
};

// A file is a preamble of 40 bytes, a directory, and the arrays' bytes, one after the other. All numbers are little-endian.
//
//   0  8 bytes  "AMPHORA" and 0x1A          24  u64  size of the arrays in bytes
//   8  u32      version, 1                  32  u32  CRC-32 of the arrays
//  12  u32      how many arrays             36  u32  CRC-32 of bytes 0 … 35 and the directory
//  16  u64      size of the directory
//
// The directory has, for each array: u16 size of its name, the name in UTF-8, u8 type, u8 rank, u64 for each extent.
// Nothing is aligned, so there is no padding; nothing depends on the time or the machine.
inline constexpr std::size_t state_preamble = 40;
inline constexpr std::uint32_t state_version = 1;
inline constexpr unsigned char state_magic[8] = {'A', 'M', 'P', 'H', 'O', 'R', 'A', 0x1A};

/// Arrays being put together.
struct state_image {
  std::vector<unsigned char> preamble, directory, data;
  std::uint32_t count = 0;

  /// A new array at the end of data. Value: where its numbers go.
  unsigned char* add(const char* name, state_type type, const shape& its_shape) {
    const std::size_t name_size = std::strlen(name), at = data.size();
    append_number(directory, static_cast<std::uint16_t>(name_size));
    directory.insert(directory.end(), name, name + name_size);
    append_number(directory, static_cast<std::uint8_t>(type)), append_number(directory, static_cast<std::uint8_t>(its_shape.rank()));
    for (int axis = 0; axis < its_shape.rank(); ++axis) append_number(directory, its_shape[axis]);
    data.resize(at + static_cast<std::size_t>(its_shape.elements()) * static_cast<std::size_t>(width_of(type)));
    ++count;
    return data.data() + at;
  }
  void finish() {
    preamble.assign(state_magic, state_magic + 8);
    append_number(preamble, state_version), append_number(preamble, count);
    append_number(preamble, std::uint64_t(directory.size())), append_number(preamble, std::uint64_t(data.size()));
    append_number(preamble, crc32(data.data(), data.size()));
    append_number(preamble, crc32(preamble.data(), preamble.size(), directory.data(), directory.size()));
  }
};

/// The arrays of a whole file, verified before anything is looked at.
class state_contents {
 public:
  /// Errors  state  not a whole, unchanged state file of version 1
  state_contents(std::vector<unsigned char> bytes, const char* path) : bytes_(static_cast<std::vector<unsigned char>&&>(bytes)), path_(path) {
    const unsigned char* p = bytes_.data();
    if (bytes_.size() < 8 || std::memcmp(p, state_magic, 8) != 0) fail("state", "'", path_, "' is not a state file of this library");
    if (bytes_.size() < state_preamble) fail("state", "'", path_, "' is cut short");
    const std::uint32_t version = number_at<std::uint32_t>(p + 8);
    if (version != state_version) fail("state", "'", path_, "' is of version ", version, "; this library reads version ", state_version);
    const std::uint64_t directory = number_at<std::uint64_t>(p + 16), data = number_at<std::uint64_t>(p + 24), all = bytes_.size() - state_preamble;
    if (directory > all || data != all - directory) fail("state", "'", path_, "' is cut short or has been changed: ", std::uint64_t(bytes_.size()), " bytes are not what its header says");
    if (number_at<std::uint32_t>(p + 36) != crc32(p, 36, p + state_preamble, static_cast<std::size_t>(directory))) fail("state", "'", path_, "' has been changed: the checksum of its header is another");
    if (number_at<std::uint32_t>(p + 32) != crc32(p + state_preamble + directory, static_cast<std::size_t>(data))) fail("state", "'", path_, "' has been changed: the checksum of its data is another");
    for (rewind(); left_ > 0;) next();
    if (directory_ != data_begin() || data_ != bytes_.data() + bytes_.size()) broken();
    rewind();
  }

  void rewind() {
    directory_ = bytes_.data() + state_preamble, data_ = data_begin();
    left_ = number_at<std::uint32_t>(bytes_.data() + 12);
  }
  bool at_end() const { return left_ == 0; }
  /// The array after the last one. Not at the end.
  state_array next() {
    state_array result{};
    result.name_size = number_at<std::uint16_t>(take(directory_, data_begin(), 2));
    result.name = reinterpret_cast<const char*>(take(directory_, data_begin(), result.name_size));
    result.type = static_cast<state_type>(*take(directory_, data_begin(), 1));
    const int rank = *take(directory_, data_begin(), 1), width = width_of(result.type);
    if (rank > shape::max_rank || width == 0) broken();
    std::int64_t extents[shape::max_rank] = {};
    std::uint64_t elements = 1;
    for (int axis = 0; axis < rank; ++axis) {
      extents[axis] = number_at<std::int64_t>(take(directory_, data_begin(), 8));
      if (extents[axis] < 0 || (extents[axis] > 0 && elements > bytes_.size() / static_cast<std::uint64_t>(extents[axis]))) broken();
      elements *= static_cast<std::uint64_t>(extents[axis]);
    }
    result.shape = shape(extents, rank);
    result.size = static_cast<std::size_t>(elements) * static_cast<std::size_t>(width);
    result.data = take(data_, bytes_.data() + bytes_.size(), result.size);
    for (std::size_t i = 0; result.type == state_type::boolean && i < result.size; ++i)
      if (result.data[i] > 1) broken();
    --left_;
    return result;
  }
  const char* path() const { return path_; }

 private:
  [[noreturn]] void broken() const { fail("state", "'", path_, "' contradicts itself; it was not written by this library"); }
  const unsigned char* data_begin() const { return bytes_.data() + state_preamble + number_at<std::uint64_t>(bytes_.data() + 16); }
  const unsigned char* take(const unsigned char*& from, const unsigned char* end, std::size_t size) const {
    if (size > static_cast<std::size_t>(end - from)) broken();
    const unsigned char* result = from;
    from += size;
    return result;
  }

  std::vector<unsigned char> bytes_;
  const char* path_;
  const unsigned char* directory_ = nullptr;
  const unsigned char* data_ = nullptr;
  std::uint32_t left_ = 0;
};

}}}  // namespace amphora::detail
