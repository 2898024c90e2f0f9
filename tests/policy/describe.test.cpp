#define I imaginary  // <complex.h> defines it so
#define small char   // <rpcndr.h>
#include <amphora/policy/describe.hpp>
#if !defined(I) || !defined(small)
#error "the user's macros are gone"
#endif
#undef I
#undef small

#include <amphora/policy/opt_level.hpp>  // o0 … o3

#include <doctest/doctest.h>

#include <sstream>  // ostringstream
#include <string>   // string

namespace amp = amphora;
namespace op = amp::op;

namespace layer { struct attention; struct mlp; struct head; }
template <> struct amphora::display_name<layer::head> { static constexpr const char* value = "classifier"; };
struct network : amp::plan<amp::o1<amp::f16>, amp::at<layer::mlp, amp::o1<amp::bf16>>, amp::at<layer::head, amp::o0<>>> {};

template <class Plan, class... On> std::string described(amp::table_style style) {
  std::ostringstream out;
  amp::describe<Plan, On...>(out, style);
  return out.str();
}

TEST_CASE("a plan is described for a person, layer by layer") {
  CHECK(described<network, amp::on<layer::attention, op::linear>, amp::on<layer::attention, op::softmax>, amp::on<layer::mlp, op::linear>,
                  amp::on<layer::mlp, op::gelu>, amp::on<layer::head, op::linear>, amp::on<layer::head, op::cross_entropy>>(amp::table_style::text) ==
        "layer       op             weights  masters  gradients  compute  sums  output  reason  casts\n"
        "attention   linear         f16      f32      f16        f16      f32   f16     speed   in f32 to f16\n"
        "attention   softmax        -        -        -          f32      f32   f32     safety  -\n"
        "mlp         linear         bf16     f32      bf16       bf16     f32   bf16    speed   in f32 to bf16\n"
        "mlp         gelu           -        -        -          bf16     -     bf16    speed   -\n"
        "classifier  linear         f32      f32      f32        f32      f32   f32     speed   in bf16 to f32\n"
        "classifier  cross_entropy  -        -        -          f32      f32   f32     safety  -\n"
        "loss scaling: dynamic; casts in memory: 3\n");
}

TEST_CASE("a description is a Markdown table, too") {
  struct half_out : amp::policy<amp::compute<amp::f32>, amp::output<amp::f16>, amp::loss_scale<amp::static_scale>> {};
  CHECK(described<half_out, amp::on<layer::mlp, op::sum>>(amp::table_style::markdown) ==
        "| layer | op  | weights | masters | gradients | compute | sums | output | reason | casts          |\n"
        "|-------|-----|---------|---------|-----------|---------|------|--------|--------|----------------|\n"
        "| mlp   | sum | -       | -       | -         | f32     | f32  | f16    | safety | out f32 to f16 |\n"
        "\nLoss scaling: static; casts in memory: 1\n");
}

TEST_CASE("without layers the classes of the op tree are described") {
  CHECK(described<amp::o1<amp::bf16>>(amp::table_style::text) ==
        "layer  op              weights  masters  gradients  compute   sums  output    reason          casts\n"
        "-      contraction     bf16     f32      bf16       bf16      f32   bf16      speed           -\n"
        "-      transcendental  -        -        -          f32       -     f32       safety          -\n"
        "-      reduction       -        -        -          f32       f32   f32       safety          -\n"
        "-      normalization   f32      f32      f32        f32       f32   f32       safety          -\n"
        "-      batch_norm      f32      f32      f32        f32       f32   f32       safety          -\n"
        "-      loss            -        -        -          f32       f32   f32       safety          -\n"
        "-      promoting       -        -        -          widest    -     widest    missing kernel  -\n"
        "-      transparent     -        -        -          as given  -     as given  speed           -\n"
        "loss scaling: none\n");
  const std::string o3 = described<amp::o3<amp::f16>>(amp::table_style::text);
  CHECK(o3.find("contraction     f16      none     f16") != std::string::npos);
  CHECK(o3.find("loss scaling: none, though small gradients become zero in these formats\n") != std::string::npos);
}
