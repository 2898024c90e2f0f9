// The host's half of an optimizer's list: checks it, and notices when it changed.
#pragma once
#include <amphora/detail/config.hpp>          // this_build
#include <amphora/detail/sort.hpp>            // sort
#include <amphora/error.hpp>                  // fail
#include <amphora/optimizer/gradients.hpp>    // gradient_list
#include <amphora/optimizer/step_table.hpp>   // step_tensor
#include <amphora/optimizer/sum_order.hpp>    // chunks_of
#include <amphora/tensor/parameter_view.hpp>  // parameter_view

#include <cstdint>    // int64_t, uintptr_t
#include <vector>     // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

constexpr bool is_step_format(format_id format) { return format == format_id::f16 || format == format_id::bf16 || format == format_id::f32; }

/// Floats between two state arrays of the optimizer's own: whole cache lines.
constexpr std::int64_t state_stride(std::int64_t n) { return (n + 15) / 16 * 16; }

/// Build  no function here depends on it; but what is a template costs nothing where nobody makes an optimizer
template <class Build = this_build>
class step_list {
 public:
  /// Errors  setting, shape, unknown-format, no-master
  static void require_parameters(const std::vector<parameter_view>& parameters, int groups) {
    for (const parameter_view& p : parameters) check(p, groups);
  }
  /// own_state  device memory for the state of parameters that bring none
  /// Errors     require_parameters', same-buffer; nothing is changed then
  void set_parameters(const std::vector<parameter_view>& parameters, int states, int groups, float* own_state) {
    require_parameters(parameters, groups);
    std::vector<step_tensor> tensors;
    for (const parameter_view& p : parameters) {
      step_tensor t = {};
      t.master = p.master, t.n = p.n, t.group = p.group, t.stochastic = p.stochastic;
      int targets = 0;
      if (!t.master && p.model.format == format_id::f32) t.master = static_cast<float*>(p.model.data);
      else if (p.model.data && p.model.data != t.master) t.targets[targets++] = p.model;
      for (const model_pointer& copy : p.copies)
        if (copy.data) t.targets[targets++] = copy;
      t.state = p.state, t.stride = p.n;
      if (!p.state) t.state = own_state, t.stride = state_stride(p.n), own_state += states * t.stride;
      tensors.push_back(t);
    }
    check_buffers(parameters, tensors, states);
    tensors_ = static_cast<std::vector<step_tensor>&&>(tensors);
    gradients_.assign(tensors_.size(), gradient_view());
    chunks_ = 0, elements_ = 0, ++parameter_changes_, ++changes_;
    for (const step_tensor& t : tensors_) chunks_ += chunks_of(t.n), elements_ += t.n;
  }

  /// Insists on gradients that fit the parameters. Changes nothing, so a step asks before it uses a handle up.
  ///
  /// Cost    a comparison of each entry where they are those of the step before
  /// Errors  shape, unknown-format, same-buffer
  void require_gradients(const gradient_list& list, const std::vector<parameter_view>& parameters, const char* call) {
    if (!cuts(list) && list.size() != count()) fail("shape", call, ": ", list.size(), " gradients were given for ", count(), " parameters");
    bool changed = false;
    each_gradient(list, [&](std::int64_t k, const gradient_view& entry) {
      if (is_known(k, entry)) return;
      changed = true;
      if (!entry.data) return;
      const char* name = parameters[static_cast<std::size_t>(k)].name;
      const std::int64_t n = tensors_[static_cast<std::size_t>(k)].n;
      if (entry.n != n) fail("shape", call, ": the gradient of parameter ", k, " '", name, "' has ", entry.n, " elements, its weights have ", n);
      if (!is_step_format(entry.format)) fail("unknown-format", call, ": the gradient of parameter ", k, " '", name, "' is ", name_of(entry.format), "; a step reads f16, bf16 and f32");
    });
    if (!changed) return;
    ranges_.clear();
    each_gradient(list, [&](std::int64_t k, const gradient_view& entry) {
      if (entry.data) add_range(entry.data, entry.n * size_of(entry.format), k);
    });
    if (const range* twice = overlap())
      fail("same-buffer", call, ": the gradients of parameters ", twice[-1].parameter, " and ", twice->parameter, " share memory; give each its own, or list a tied weight once");
  }
  /// Takes over gradients that require_gradients let through.
  void set_gradients(const gradient_list& list) {
    bool changed = false;
    each_gradient(list, [&](std::int64_t k, const gradient_view& entry) {
      if (!is_known(k, entry)) gradients_[static_cast<std::size_t>(k)] = entry, changed = true;
    });
    changes_ += changed;
  }

  std::int64_t count() const { return static_cast<std::int64_t>(tensors_.size()); }
  std::int64_t chunks() const { return chunks_; }
  /// How often the gradients were others than in the step before, and how often the parameters: when a device must copy the
  /// table anew.
  std::int64_t changes() const { return changes_; }
  std::int64_t parameter_changes() const { return parameter_changes_; }
  const step_tensor* tensors() const { return tensors_.data(); }
  const gradient_view* gradients() const { return gradients_.data(); }

 private:
  struct range {
    std::uintptr_t begin, end;
    std::int64_t parameter;
  };

  /// Whether the list is one arena for all parameters.
  bool cuts(const gradient_list& list) const { return list.is_flat() && list[0].n == elements_ && tensors_.size() != 1; }
  /// Calls visit(parameter, its gradient), an arena cut in the parameters' order.
  template <class Visit> void each_gradient(const gradient_list& list, const Visit& visit) const {
    if (!cuts(list)) {
      for (std::int64_t k = 0; k < count(); ++k) visit(k, list[k]);
      return;
    }
    const gradient_view& all = list[0];
    std::int64_t offset = 0;
    for (std::int64_t k = 0; k < count(); ++k) {
      const std::int64_t n = tensors_[static_cast<std::size_t>(k)].n;
      visit(k, all.data ? gradient_view({static_cast<const char*>(all.data) + offset * size_of(all.format), all.format}, n) : gradient_view());
      offset += n;
    }
  }
  bool is_known(std::int64_t k, const gradient_view& entry) const {
    const gradient_view& known = gradients_[static_cast<std::size_t>(k)];
    return entry.data == known.data && (!entry.data || (entry.format == known.format && entry.n == known.n));
  }

  static void check(const parameter_view& p, int groups) {
    if (p.group < 0 || p.group >= groups) fail("setting", "parameter '", p.name, "' is in group ", p.group, " of ", groups);
    if (p.n < 0 || p.n != p.shape.elements()) fail("shape", "parameter '", p.name, "' has n = ", p.n, " and shape ", p.shape);
    if (!p.master && !p.model.data && p.n > 0) fail("shape", "parameter '", p.name, "' has neither master nor model weights");
    if (p.model.data && !is_step_format(p.model.format)) fail("unknown-format", "the model weights of parameter '", p.name, "' are ", name_of(p.model.format), "; a step writes f16, bf16 and f32");
    for (const model_pointer& copy : p.copies)
      if (copy.data && !is_step_format(copy.format)) fail("unknown-format", "a copy of parameter '", p.name, "' is ", name_of(copy.format), "; a step writes f16, bf16 and f32");
    if (!p.master && p.model.format != format_id::f32 && p.n > 0 && !p.masterless)
      fail("no-master", "parameter '", p.name, "' is ", name_of(p.model.format), " and has no float master, so small updates would be lost; give one, or say parameter_view::without_master");
    if (p.stochastic && (p.master || p.model.format != format_id::bf16))
      fail("setting", "parameter '", p.name, "' asks for stochastic rounding, which is for bf16 weights without a master");
  }
  void check_buffers(const std::vector<parameter_view>& parameters, const std::vector<step_tensor>& tensors, int states) {
    ranges_.clear();
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      const step_tensor& t = tensors[k];
      const auto index = static_cast<std::int64_t>(k);
      if (t.master) add_range(t.master, t.n * 4, index);
      for (const model_pointer& target : t.targets)
        if (target.data) add_range(target.data, t.n * size_of(target.format), index);
      if (parameters[k].state) add_range(t.state, t.n * states * 4, index);
    }
    if (const range* twice = overlap())
      fail("same-buffer", "parameters ", twice[-1].parameter, " '", parameters[static_cast<std::size_t>(twice[-1].parameter)].name, "' and ", twice->parameter, " '",
           parameters[static_cast<std::size_t>(twice->parameter)].name, "' are written to the same memory; list a tied weight once, with add_copy for its other formats");
  }
  void add_range(const void* data, std::int64_t bytes, std::int64_t parameter) {
    if (bytes == 0) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    ranges_.push_back({begin, begin + static_cast<std::uintptr_t>(bytes), parameter});
  }
  /// The second of two ranges that share memory, or null.
  const range* overlap() {
    sort(ranges_.data(), ranges_.size(), [](const range& a, const range& b) { return a.begin < b.begin; });
    for (std::size_t k = 1; k < ranges_.size(); ++k)
      if (ranges_[k].begin < ranges_[k - 1].end) return &ranges_[k];
    return nullptr;
  }

  std::vector<step_tensor> tensors_;
  std::vector<gradient_view> gradients_;
  std::vector<range> ranges_;
  std::int64_t chunks_ = 0, elements_ = 0, changes_ = 0, parameter_changes_ = 0;
};

}}}  // namespace amphora::detail
