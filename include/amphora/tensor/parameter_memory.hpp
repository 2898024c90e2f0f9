// The arrays of a parameter: an optional float master, one copy for each format that is read, an optional gradient.
#pragma once
#include <amphora/format/storage.hpp>         // storage_t
#include <amphora/tensor/parameter_view.hpp>  // parameter_view, model_pointer, gradient_pointer
#include <amphora/tensor/tensor.hpp>          // tensor
#include <amphora/tensor/view.hpp>            // view

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Whether a parameter has a gradient and takes part in steps.
enum class training : bool { frozen, on };

namespace detail {

/// What a device does for parameters. Specialised for Context::device, e.g. in host/parameter.hpp:
///
///     static void load(Context&, gradient_pointer from, const model_pointer* to, int count, std::int64_t n);   all of them at once
///     static void clear(Context&, void* memory, std::int64_t bytes);
template <class Device> struct parameter_kernels;

template <class Format, class Context>
struct parameter_copy {
  tensor<storage_t<Format>, Context> values;
};

/// Whether a copy of its own is kept in Format: readers of f32 read the master.
template <bool HasMaster, class Format> inline constexpr bool keeps_copy_v = !(HasMaster && format_id_v<Format> == format_id::f32);

/// HasMaster  whether the optimizer updates a float master; otherwise it updates the first of Formats in place
/// Gradient   the gradient's format
/// Formats    distinct, in which ops read the weights
template <bool HasMaster, class Gradient, class Context, class... Formats>
class parameter_memory : private parameter_copy<Formats, Context>... {
 public:
  /// Whether there is a float master.
  static constexpr bool has_master = HasMaster;
  using gradient_format = Gradient;

  const char* name() const { return name_; }
  const amphora::shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.elements(); }
  bool is_frozen() const { return trains_ == training::frozen; }

  /// [shape], float: what the optimizer updates, read-only; null where there is none.
  amphora::view<const float> master() const { return {master_.data(), shape_}; }
  /// [shape]: the gradient, in units of the loss' scale until it is unscaled. Of no elements where frozen.
  amphora::view<storage_t<Gradient>> gradient() {
    if (is_frozen()) return {nullptr, amphora::shape{0}};
    return gradient_.view();
  }
  /// Sets the gradient to zeros.
  void zero_gradient(Context& context) {
    if (!is_frozen()) clear(context, gradient_);
  }

  /// Takes other weights: writes the master and every copy, each rounded once from what is given. The optimizer's moments
  /// and step count stay.
  ///
  /// from  [shape], any storage type, on the device
  /// Errors  shape  another shape
  template <class T> void load(Context& context, const amphora::view<const T>& from) {
    if (from.shape() != shape_) fail("shape", "parameter '", name_, "' of shape ", shape_, " cannot load weights of shape ", from.shape());
    kernels::load(context, gradient_pointer(from.data()), targets().all, targets().count, size());
  }
  template <class T> void load(Context& context, const amphora::view<T>& from) { load(context, amphora::view<const T>(from)); }
  template <class T> void load(Context& context, const tensor<T, Context>& from) { load(context, from.view()); }

  /// What an optimizer takes. Valid as long as the parameter, also after it was moved.
  ///
  /// group  which of the optimizer's groups of settings
  parameter_view view(int group = 0) {
    const pointers to = targets();
    const gradient_pointer gradient = is_frozen() ? gradient_pointer() : gradient_pointer(static_cast<const storage_t<Gradient>*>(gradient_.data()));
    const bool low_precision = !HasMaster && to.all[0].format != format_id::f32;
    parameter_view result = low_precision ? parameter_view::without_master(to.all[0], gradient, nullptr, shape_, stochastic_)
                                          : parameter_view(HasMaster ? master_.data() : nullptr, to.count > HasMaster ? to.all[HasMaster] : model_pointer(), gradient, nullptr, shape_);
    for (int k = 1 + HasMaster; k < to.count; ++k) result.add_copy(to.all[k]);
    result.name = name_, result.group = group;
    return result;
  }

  /// Bytes of master, copies and gradient.
  std::int64_t bytes() const {
    const std::int64_t each = (HasMaster ? 4 : 0) + (0 + ... + (keeps_copy_v<HasMaster, Formats> ? bits_v<Formats> / 8 : 0)) + (is_frozen() ? 0 : bits_v<Gradient> / 8);
    return each * size();
  }

 protected:
  parameter_memory(Context& context, const char* name, const amphora::shape& shape, training trains, bool stochastic)
      : name_(name), shape_(shape), trains_(trains), stochastic_(stochastic) {
    if constexpr (HasMaster) make(context, master_);
    (make_copy<Formats>(context), ...);
    if (!is_frozen()) make(context, gradient_);
  }

  template <class Format> amphora::view<const storage_t<Format>> weights_in() const {
    if constexpr (keeps_copy_v<HasMaster, Format>) return {copy<Format>().data(), shape_};
    else return {master_.data(), shape_};
  }

 private:
  using kernels = parameter_kernels<typename Context::device>;
  struct pointers {
    model_pointer all[1 + sizeof...(Formats)];
    int count = 0;
    void add(model_pointer p) { all[count++] = p; }
  };

  template <class Format> auto& copy() { return static_cast<parameter_copy<Format, Context>*>(this)->values; }
  template <class Format> const auto& copy() const { return static_cast<const parameter_copy<Format, Context>*>(this)->values; }

  pointers targets() {
    pointers result;
    if (HasMaster) result.add(master_.data());
    ((keeps_copy_v<HasMaster, Formats> ? result.add(copy<Formats>().data()) : void()), ...);
    return result;
  }
  template <class T> static void clear(Context& context, tensor<T, Context>& values) {
    kernels::clear(context, values.data(), values.size() * static_cast<std::int64_t>(sizeof(T)));
  }
  template <class T> void make(Context& context, tensor<T, Context>& values) {
    values = tensor<T, Context>(context, shape_);
    clear(context, values);
  }
  template <class Format> void make_copy(Context& context) {
    if constexpr (keeps_copy_v<HasMaster, Format>) make(context, copy<Format>());
  }

  const char* name_;
  amphora::shape shape_;
  training trains_;
  bool stochastic_;
  tensor<float, Context> master_;
  tensor<storage_t<Gradient>, Context> gradient_;
};

}  // namespace detail
}}  // namespace amphora
