// The equation of an einsum, read and applied to two shapes.
#pragma once
#include <amphora/error.hpp>            // fail
#include <amphora/ops/contraction.hpp>  // contraction
#include <amphora/tensor/shape.hpp>     // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Gives each name an extent, by NumPy's rule, and a label where that is not 1.
class label_names {
 public:
  static constexpr int letters = 52, names = letters + shape::max_rank;

  /// A to Z, then a to z: the order of an implicit result. −1 for what is no letter.
  static int name_of(char letter) { return letter >= 'A' && letter <= 'Z' ? letter - 'A' : letter >= 'a' && letter <= 'z' ? 26 + letter - 'a' : -1; }
  /// An axis of an ellipsis, counted from its end.
  static int of_ellipsis(int from_end) { return letters + from_end; }

  bool add(int name, std::int64_t extent) {
    ++count[name];
    if (count[name] == 1 || size[name] == 1) size[name] = extent;
    return extent == 1 || size[name] == extent;
  }
  int label(int name, std::int64_t extent) {
    if (extent == 1) return -1;
    if (its_label[name] == 0) its_label[name] = ++labels_;
    return its_label[name] - 1;
  }

  std::int64_t size[names] = {};
  int count[names] = {};

 private:
  int its_label[names] = {}, labels_ = 0;
};

/// An equation of einsum: the names of each operand's axes and of the result's.
struct einsum_equation {
  struct names {
    int count = 0, before = 0;  ///< letters; of them those before the ellipsis
    bool has_ellipsis = false;
    int name[shape::max_rank] = {};

    int rank_of_ellipsis(const shape& s) const { return has_ellipsis ? s.rank() - count : 0; }
    /// The name of an axis of an array whose ellipsis stands for so many axes.
    int at(int axis, int hidden) const { return axis < before ? name[axis] : axis < before + hidden ? label_names::of_ellipsis(before + hidden - 1 - axis) : name[axis - hidden]; }
  };
  names operand[2], result;
  bool is_explicit = false;

  /// Errors  setting
  einsum_equation(const char* call, const char* text) {
    int part = 0;
    for (const char* c = text; *c; ++c) {
      names& to = part == 2 ? result : operand[part];
      if (*c == ' ') continue;
      if (*c == ',') {
        if (part != 0) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
        part = 1;
      } else if (*c == '-' && c[1] == '>') {
        if (part != 1) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
        part = 2, is_explicit = true, ++c;
      } else if (*c == '.' && c[1] == '.' && c[2] == '.') {
        if (to.has_ellipsis) fail("setting", call, " of \"", text, "\": an ellipsis stands twice in one place");
        to.has_ellipsis = true, to.before = to.count, c += 2;
      } else {
        const int name = label_names::name_of(*c);
        if (name < 0) fail("setting", call, " of \"", text, "\": an axis is named by one letter, and only ',', '->', '...' and spaces stand beside them");
        if (to.count == shape::max_rank) fail("setting", call, " of \"", text, "\": at most 8 axes have names in one place");
        to.name[to.count++] = name;
      }
    }
    if (part == 0) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
    for (names* each : {&operand[0], &operand[1], &result})
      if (!each->has_ellipsis) each->before = each->count;
  }

  /// Errors  setting, shape
  contraction of(const char* call, const char* text, const shape& a, const shape& b) const {
    label_names known;
    int hidden = 0;
    const shape* const shapes[] = {&a, &b};
    for (int array = 0; array < 2; ++array) {
      const shape& s = *shapes[array];
      const names& own = operand[array];
      const int ellipsis = own.rank_of_ellipsis(s);
      if (ellipsis < 0 || (!own.has_ellipsis && s.rank() != own.count))
        fail("shape", call, " of \"", text, "\": operand ", array, " has shape ", s, " and ", own.count, " named axes");
      hidden = ellipsis > hidden ? ellipsis : hidden;
      for (int axis = 0; axis < s.rank(); ++axis) {
        for (int other = 0; other < axis; ++other)
          if (own.at(axis, ellipsis) == own.at(other, ellipsis) && s[axis] != s[other]) fail("shape", call, " of \"", text, "\": operand ", array, " of shape ", s, " has no diagonal, its extents differ");
        if (!known.add(own.at(axis, ellipsis), s[axis])) fail("shape", call, " of \"", text, "\": an axis has two extents, in a of shape ", a, " and b of shape ", b);
      }
    }
    const names out = is_explicit ? result : implicit(known);
    contraction x;
    x.of[0] = a, x.of[1] = b;
    for (int array = 0; array < 2; ++array)
      for (int axis = 0; axis < shapes[array]->rank(); ++axis)
        x.label[array][axis] = known.label(operand[array].at(axis, operand[array].rank_of_ellipsis(*shapes[array])), (*shapes[array])[axis]);
    const int shown = out.has_ellipsis ? hidden : 0, rank = out.count + shown;
    std::int64_t extents[2 * shape::max_rank] = {};
    if (rank > shape::max_rank) fail("shape", call, " of \"", text, "\": the result has ", rank, " axes, and at most 8 are possible");
    for (int axis = 0; axis < rank; ++axis) {
      const int name = out.at(axis, shown);
      for (int other = 0; other < axis; ++other)
        if (name == out.at(other, shown)) fail("setting", call, " of \"", text, "\": the result names an axis twice");
      if (known.count[name] == 0) fail("setting", call, " of \"", text, "\": the result names an axis that no operand has");
      extents[axis] = known.size[name], x.label[2][axis] = known.label(name, extents[axis]);
    }
    x.of[2] = shape(extents, rank);
    return x;
  }

 private:
  /// The ellipsis, then in the order of the alphabet what stands once.
  names implicit(const label_names& known) const {
    names out;
    out.has_ellipsis = operand[0].has_ellipsis || operand[1].has_ellipsis;
    for (int name = 0; name < label_names::letters; ++name) {
      int times = 0;
      for (const names& each : operand)
        for (int i = 0; i < each.count; ++i) times += each.name[i] == name;
      if (times == 1 && known.count[name] > 0 && out.count < shape::max_rank) out.name[out.count++] = name;
    }
    if (!out.has_ellipsis) out.before = out.count;
    return out;
  }
};

/// A call's axes by their names, as contraction_of takes them.
struct named_axes { const char* equation; };
inline contraction contraction_of(const char* call, const named_axes& by, const shape& a, const shape& b) { return einsum_equation(call, by.equation).of(call, by.equation, a, b); }

}}}  // namespace amphora::detail
