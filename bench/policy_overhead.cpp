// What a call through a policy costs over the same call written for its formats: policy_overhead.cmake counts the
// instructions of both.  policy_overhead policy|hand
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

#include <cstdint>
#include <cstring>

namespace amp = amphora;

namespace layer {
struct body;
struct head;
}  // namespace layer
struct guarded : amp::amend<amp::o1<amp::f16>, amp::in<amp::op::reduction, amp::compute<amp::f32>>, amp::in<amp::op::gelu, amp::compute<amp::f32>>> {};
struct network : amp::plan<guarded, amp::at<layer::head, amp::amend<amp::o1<amp::bf16>, amp::output<amp::f32>>>> {};

namespace {

constexpr int rows = 4, in = 16, out = 8;

struct data {
  amp::host_context context;
  amp::float16 x[rows * in], w[out * in], b[out], y[rows * out];
  amp::bfloat16 w_head[out * out], b_head[out];
  float logits[rows * out], loss[1];
  std::int64_t label[rows];

  amp::view<const amp::float16> x_view{x, {rows, in}}, w_view{w, {out, in}}, b_view{b, {out}}, y_read{y, {rows, out}};
  amp::view<amp::float16> y_view{y, {rows, out}};
  amp::view<const amp::bfloat16> w_head_view{w_head, {out, out}}, b_head_view{b_head, {out}};
  amp::view<float> logits_view{logits, {rows, out}}, loss_view{loss, {}};
  amp::view<const float> logits_read{logits, {rows, out}};
  amp::view<const std::int64_t> label_view{label, {rows}};
};

}  // namespace

// What one writes without policies: a function for each op and its formats, over the same kernels. Linkage as the library's,
// since a compiler inlines what is local to a file more readily.
namespace by_hand {

namespace below = amp::detail;

template <class Format, class Y>
inline void linear(amp::host_context& context, amp::into<Y> y, const amp::view<const amp::storage_t<Format>>& x,
                   const amp::view<const amp::storage_t<Format>>& w, const amp::view<const amp::storage_t<Format>>& b) {
  below::linear_forward<Format, amp::f32>(context, y.target, x, w, b, true, false, false);
}
template <class Given, class Y>
inline void linear_from(amp::host_context& context, amp::into<Y> y, const amp::view<const Given>& x, const amp::view<const amp::bfloat16>& w,
                        const amp::view<const amp::bfloat16>& b) {
  below::linear_forward<amp::bf16, amp::f32>(context, y.target, x, w, b, true, false, false);
}
inline void relu(amp::host_context& context, amp::into<amp::float16> y, const amp::view<const amp::float16>& x) {
  below::map_one<amp::f16>("relu", context, below::relu_value{}, below::write(y.target), y.target.shape(), x);
}
inline void cross_entropy(amp::host_context& context, amp::into<float> loss, const amp::view<const float>& logits, const amp::view<const std::int64_t>& label,
                          const amp::cross_entropy_settings& settings = {}, const amp::no_weights& weights = {}) {
  const auto call = below::cross_entropy_checked("cross_entropy", logits, label, below::operand(weights), false, settings);
  below::require_shape("cross_entropy", "a loss", loss.target.shape(), below::loss_shape(settings.reduction, label.shape()));
  below::cross_entropy_kernels<amp::host_device>::forward(context, call, below::write(loss.target), below::read(logits), below::read(below::operand(weights)));
}

}  // namespace by_hand

extern "C" [[gnu::noinline]] void call_through_policy(data& d) {
  using body = amp::policy_at_t<network, layer::body>;
  using head = amp::policy_at_t<network, layer::head>;
  amp::linear<body>(d.context, amp::into{d.y_view}, d.x_view, d.w_view, d.b_view);
  amp::relu<body>(d.context, amp::into{d.y_view}, d.y_read);
  amp::linear<head>(d.context, amp::into{d.logits_view}, d.y_read, d.w_head_view, d.b_head_view);
  amp::cross_entropy<head>(d.context, amp::into{d.loss_view}, d.logits_read, d.label_view);
}

extern "C" [[gnu::noinline]] void call_by_hand(data& d) {
  by_hand::linear<amp::f16>(d.context, amp::into{d.y_view}, d.x_view, d.w_view, d.b_view);
  by_hand::relu(d.context, amp::into{d.y_view}, d.y_read);
  by_hand::linear_from(d.context, amp::into{d.logits_view}, d.y_read, d.w_head_view, d.b_head_view);
  by_hand::cross_entropy(d.context, amp::into{d.loss_view}, d.logits_read, d.label_view);
}

int main(int argc, char** argv) {
  static data d;
  for (auto& x : d.x) x = amp::float16(0.5f);
  for (auto& w : d.w) w = amp::float16(0.25f);
  for (auto& w : d.w_head) w = amp::bfloat16(0.125f);
  const bool policy = argc > 1 && std::strcmp(argv[1], "policy") == 0;
  policy ? call_by_hand(d) : call_through_policy(d);  // what only a first call does is done here, by the one that is not counted
  for (int i = 0; i < 3; ++i) policy ? call_through_policy(d) : call_by_hand(d);
  return d.loss[0] > 2.0f && d.loss[0] < 2.2f ? 0 : 1;  // log 8: the logits are equal
}
