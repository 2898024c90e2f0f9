// What a broken rule at run time says, and how it is raised with and without exceptions.
#pragma once
#include <amphora/detail/text.hpp>  // text, text_part
#include <amphora/version.hpp>      // AMPHORA_ABI

#include <exception>  // exception

namespace amphora { inline namespace AMPHORA_ABI {

/// A rule that was broken at run time.
///
/// rule     the slug, an anchor of docs/rules.md, e.g. "stale-ticket"
/// message  `amphora [slug]: what is wrong; what to do instead`, with the call, shapes and formats
struct error_info {
  const char* rule;
  const char* message;
};

/// Where the build has no exceptions, every error ends here. The user defines it; without a definition the program does not link.
[[noreturn]] void on_error(const error_info& info);

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
/// Thrown for every error; nothing was changed before it.
class error : public std::exception {
 public:
  error(const char* rule, const detail::text& message) noexcept : rule_(rule), message_(message) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// The slug of the rule that was broken.
  const char* rule() const noexcept { return rule_; }

 private:
  const char* rule_;
  detail::text message_;
};
#endif

namespace detail {

/// Raises `amphora [slug]: parts…`. Not a template: see text_part.
[[noreturn]] inline void raise(const char* slug, const text_part* parts, int count) {
  text message("amphora [", slug, "]: ");
  for (int k = 0; k < count; ++k) message.append(parts[k]);
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
  throw error(slug, message);
#else
  on_error(error_info{slug, message.c_str()});
#endif
}
/// Raises `amphora [slug]: parts…`. slug must be a string literal.
///
/// parts  by value, so that literals of all lengths are one type
template <class... Parts> [[noreturn]] void fail(const char* slug, Parts... parts) {
  const text_part all[] = {text_part(parts)...};
  raise(slug, all, static_cast<int>(sizeof...(Parts)));
}

}  // namespace detail
}}  // namespace amphora
