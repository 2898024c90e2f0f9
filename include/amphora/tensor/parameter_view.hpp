// One parameter as an optimizer sees it: pointers to its master, model weights, gradient and state, and how many numbers.
#pragma once
#include <amphora/format/format.hpp>     // is_low_precision_v
#include <amphora/format/format_id.hpp>  // format_id, format_id_v
#include <amphora/format/format_of.hpp>  // format_of_t, is_storage_v
#include <amphora/tensor/shape.hpp>      // shape

#include <cstddef>      // nullptr_t
#include <cstdint>      // int64_t
#include <type_traits>  // remove_const_t

namespace amphora { inline namespace AMPHORA_ABI {

template <class T> constexpr void require_storage_pointer() {
  static_assert(is_storage_v<T>,
      "amphora [unknown-storage-type]: this pointer is to no storage type of a number format; use float, amphora::float16, … or specialise amphora::format_of");
}
template <class Model> constexpr void require_master() {
  static_assert(!is_low_precision_v<format_of_t<Model>>,
      "amphora [no-master]: low-precision weights stepped without a master lose small updates; give a float* master, or say parameter_view::without_master(…)");
}

/// Weights in memory of any format, written by the step.
struct model_pointer {
  void* data = nullptr;
  format_id format = format_id::none;

  constexpr model_pointer() = default;
  constexpr model_pointer(std::nullptr_t) {}
  constexpr model_pointer(void* address, format_id its_format) : data(address), format(its_format) {}
  template <class T> constexpr model_pointer(T* address) : data(address), format(format_id_v<format_of_t<T>>) { require_storage_pointer<T>(); }
};

/// A gradient in memory of any format, only read by the step. Null: the parameter has none and does not step.
struct gradient_pointer {
  const void* data = nullptr;
  format_id format = format_id::none;

  constexpr gradient_pointer() = default;
  constexpr gradient_pointer(std::nullptr_t) {}
  constexpr gradient_pointer(const void* address, format_id its_format) : data(address), format(its_format) {}
  template <class T> constexpr gradient_pointer(const T* address) : data(address), format(format_id_v<format_of_t<T>>) { require_storage_pointer<T>(); }
};

/// Plain pointers and a size, on the device of the context that steps them. `parameter` gives one; anyone may fill one by hand.
///
/// master    [n], float: what the rule updates. Null where the model weights themselves are updated: always so for float weights, and
///           for low-precision ones only if without_master says it
/// model     [n], any storage type: what the forward pass reads; written in the same pass. Null where it reads the master
/// gradient  [n], f16, bf16 or f32: what the backward pass leaves. Null: does not step
/// state     [Rule::states, n], float, zero before the first step. Null: the optimizer keeps it
struct parameter_view {
  static constexpr int max_copies = 3;

  float* master = nullptr;
  model_pointer model;
  gradient_pointer gradient;
  float* state = nullptr;
  std::int64_t n = 0;

  amphora::shape shape = {0};         ///< for messages and files; its product is n
  const char* name = "";              ///< for messages and files; must outlive the view
  int group = 0;                      ///< which of the optimizer's groups of settings
  bool stochastic = false;            ///< bf16 model weights without a master are rounded stochastically
  bool masterless = false;            ///< low-precision weights without a master, said aloud
  model_pointer copies[max_copies];   ///< of a tied weight: one for each further format that its ops read

  parameter_view() = default;
  parameter_view(float* its_master, model_pointer its_model, gradient_pointer its_gradient, float* its_state, const amphora::shape& its_shape)
      : master(its_master), model(its_model), gradient(its_gradient), state(its_state), n(its_shape.elements()), shape(its_shape) {}
  parameter_view(float* its_master, model_pointer its_model, gradient_pointer its_gradient, float* its_state, std::int64_t count)
      : parameter_view(its_master, its_model, its_gradient, its_state, amphora::shape{count}) {}
  /// Errors  no-master  (at compile time) Model is a low-precision type
  template <class Model, class Size>
  parameter_view(std::nullptr_t, Model* its_model, gradient_pointer its_gradient, float* its_state, const Size& size)
      : parameter_view(static_cast<float*>(nullptr), model_pointer(its_model), its_gradient, its_state, size) {
    require_master<Model>();
  }

  /// Low-precision weights that are updated in place, with no float master: Apex's O3, or stochastic rounding.
  static parameter_view without_master(model_pointer model, gradient_pointer gradient, float* state, const amphora::shape& shape, bool stochastic = false) {
    parameter_view result(static_cast<float*>(nullptr), model, gradient, state, shape);
    result.masterless = true, result.stochastic = stochastic;
    return result;
  }
  static parameter_view without_master(model_pointer model, gradient_pointer gradient, float* state, std::int64_t n, bool stochastic = false) {
    return without_master(model, gradient, state, amphora::shape{n}, stochastic);
  }
  /// One more copy of a tied weight, written by the same pass.
  ///
  /// Errors  size  more than three copies
  parameter_view& add_copy(model_pointer copy) {
    for (model_pointer& place : copies)
      if (!place.data) return place = copy, *this;
    detail::fail("size", "a tied weight has at most ", max_copies, " further copies; parameter '", name, "' was given one more");
  }
};

}}  // namespace amphora
