// Prints docs/ops.md: each op with its class, the reason for it, its formats under the opt levels, and the kernels that serve it. Types are asked for what
// they know; ops_rows.inc is made from the sources (ops_rows.cmake).
//     build/…/ops_table > docs/ops.md
#include <amphora/op/op.hpp>
#include <amphora/policy/call.hpp>
#include <amphora/policy/describe.hpp>
#include <amphora/policy/opt_level.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace amp = amphora;
namespace op = amphora::op;

namespace {

using strings = std::vector<std::string>;

/// What serves the ops of a header.
const std::map<std::string, strings> kernels_of = {
    {"activation.hpp", {"map"}},
    {"adaptive_avg_pool.hpp", {"pooling"}},
    {"adaptive_max_pool.hpp", {"pooling"}},
    {"add.hpp", {"map"}},
    {"addcmul.hpp", {"map"}},
    {"addmm.hpp", {"matmul", "map"}},
    {"arithmetic.hpp", {"map"}},
    {"atan2.hpp", {"map"}},
    {"attention.hpp", {"attention"}},
    {"avg_pool.hpp", {"pooling"}},
    {"batch_norm.hpp", {"normalization"}},
    {"bilinear.hpp", {"matmul", "map"}},
    {"binary_cross_entropy.hpp", {"map_reduce", "map"}},
    {"cat.hpp", {"movement"}},
    {"clamp.hpp", {"map"}},
    {"class_margin_loss.hpp", {"class_margin"}},
    {"conv.hpp", {"convolution"}},
    {"conv_transpose.hpp", {"convolution"}},
    {"cosine_embedding_loss.hpp", {"fold", "map_reduce"}},
    {"cosine_similarity.hpp", {"fold"}},
    {"cross.hpp", {"pick"}},
    {"cross_entropy.hpp", {"cross_entropy"}},
    {"cumulative.hpp", {"scan"}},
    {"distance.hpp", {"fold"}},
    {"dropout.hpp", {"dropout"}},
    {"einsum.hpp", {"matmul"}},
    {"embedding.hpp", {"pick", "index"}},
    {"erfinv.hpp", {"map"}},
    {"exponential.hpp", {"map"}},
    {"gather.hpp", {"pick", "index"}},
    {"gelu.hpp", {"map"}},
    {"grid_sample.hpp", {"pick", "index"}},
    {"group_norm.hpp", {"normalization"}},
    {"gru_cell.hpp", {"matmul", "map"}},
    {"index_put.hpp", {"index"}},
    {"interpolate.hpp", {"pick"}},
    {"l1_loss.hpp", {"map_reduce", "map"}},
    {"layer_norm.hpp", {"normalization"}},
    {"lerp.hpp", {"map"}},
    {"likelihood_loss.hpp", {"map_reduce", "map"}},
    {"linear.hpp", {"matmul"}},
    {"logsumexp.hpp", {"fold"}},
    {"lstm_cell.hpp", {"matmul", "map"}},
    {"margin_loss.hpp", {"map_reduce", "map"}},
    {"matmul.hpp", {"matmul"}},
    {"max_pool.hpp", {"pooling"}},
    {"maximum.hpp", {"map"}},
    {"mm.hpp", {"matmul"}},
    {"movement.hpp", {"movement"}},
    {"mse_loss.hpp", {"map_reduce", "map"}},
    {"multi_dot.hpp", {"matmul"}},
    {"nll_loss.hpp", {"nll"}},
    {"norm.hpp", {"fold"}},
    {"number.hpp", {"map"}},
    {"pad.hpp", {"pick"}},
    {"pdist.hpp", {"triangle", "fold"}},
    {"pow.hpp", {"map"}},
    {"prelu.hpp", {"map", "reduce"}},
    {"prod.hpp", {"fold"}},
    {"relu.hpp", {"map"}},
    {"renorm.hpp", {"fold", "map"}},
    {"rnn_cell.hpp", {"matmul", "map"}},
    {"root.hpp", {"map"}},
    {"sign.hpp", {"map"}},
    {"softmax.hpp", {"softmax"}},
    {"sum.hpp", {"reduce"}},
    {"trigonometric.hpp", {"map"}},
    {"tensordot.hpp", {"matmul"}},
    {"triplet_margin_loss.hpp", {"fold", "map_reduce"}},
    {"vecdot.hpp", {"matmul"}},
    {"where.hpp", {"map"}},
};
/// What a family of kernels does, and whose code it calls.
const std::map<std::string, std::string> about = {
    {"attention", "rows of scores that stay in the cache on the host, with Eigen's products; on CUDA products by cuBLAS, a masked softmax and a dropout over some heads at a time"},
    {"class_margin", "margins between the score of the right class and all others, in one pass"},
    {"convolution", "convolutions: patches and Eigen on the host; patches and cuBLAS on CUDA, or cuDNN where a program adds it"},
    {"cross_entropy", "softmax, logarithm and mean in one pass over the logits"},
    {"dropout", "dropout, its mask a function of seed and place"},
    {"fold", "reductions that are no plain sum: norms, products, logsumexp"},
    {"index", "rows added at indices, in the order of the rows"},
    {"map", "a function of each element of up to four operands that broadcast, in one pass"},
    {"map_reduce", "a function of each element, and the sum of its values, in one pass"},
    {"matmul", "products of matrices: Eigen on the host, cuBLAS on CUDA, with bias, relu and gelu in the product where cuBLASLt has them"},
    {"movement", "blocks of memory moved to other places"},
    {"nll", "what log-probabilities say of the targets, in one pass"},
    {"normalization", "mean and variance in two passes over a group, the affine part in the same"},
    {"pick", "elements taken from computed places"},
    {"pooling", "windows of images: their largest number with its place, or their mean"},
    {"reduce", "sums over axes, in an order that no thread count changes"},
    {"scan", "sums, products and the like along a line, up to each place"},
    {"softmax", "softmax and log_softmax along an axis"},
    {"triangle", "the pairs above a diagonal"},
};

/// Kernels that are a library's; the others are this one's own.
const std::map<std::string, strings> libraries = {{"attention", {"Eigen", "cuBLAS"}}, {"convolution", {"Eigen", "cuBLAS or cuDNN"}}, {"matmul", {"Eigen", "cuBLAS"}}};

struct row {
  std::string name, header, tape;
  strings facts, kernels;
};

/// The kernels of an op on a device: 0 the host, 1 CUDA.
std::string kernels_on(std::size_t device, const strings& kernels) {
  std::string result;
  for (const std::string& kernel : kernels) {
    const auto library = libraries.find(kernel);
    result += (result.empty() ? "" : ", ") + kernel + (library == libraries.end() ? "" : " (" + library->second[device] + ")");
  }
  return result;
}
std::map<std::string, std::vector<row>> rows, tags;  // by class
std::map<std::string, strings> families;
bool complete = true;

template <class Policy, class Op> std::string format_under() {
  if (!amp::is_allowed_v<Policy, Op>) return "refused";
  return amp::detail::word<amp::compute_t<Policy, Op>>();
}
/// The class, and for the sensitive ones the branch below it.
template <class Op, class Parent = amp::parent_t<Op>> std::string branch_of() {
  if constexpr (std::is_same_v<Parent, op::any>) return amp::display_name_v<Op>;
  else if constexpr (std::is_same_v<Parent, op::sensitive>) return std::string("sensitive: ") + amp::display_name_v<Op>;
  else return branch_of<Parent>();
}
template <class Op> row row_of(const char* name) {
  row result;
  result.name = name;
  result.facts = {amp::detail::name_of(amp::reason_v<Op>), format_under<amp::o0<>, Op>(), format_under<amp::o1<amp::f16>, Op>(), format_under<amp::o2<amp::f16>, Op>(),
                  format_under<amp::o3<amp::f16>, Op>()};
  return result;
}
template <class Op> void add(const char* name, const char* header, bool taped) {
  row made = row_of<Op>(name);
  made.header = header, made.tape = taped ? "yes" : "no";
  const auto known = kernels_of.find(header);
  if (known == kernels_of.end()) complete = false, std::cerr << "which kernels serve ops/" << header << "? Say so in kernels_of, tests/docs/ops_table.cpp\n";
  else made.kernels = known->second;
  rows[branch_of<Op>()].push_back(made);
}
template <class Op> void add_tag(const char* name) { tags[branch_of<Op>()].push_back(row_of<Op>(name)); }

void fill() {
#define ROW(tag, header, taped) add<op::tag>(#tag, header, taped);
#define TAG(tag) add_tag<op::tag>(#tag);
#define FAMILY(name, host, cuda) families[name] = {host, cuda};
#include "ops_rows.inc"
}

}  // namespace

int main() {
  fill();
  std::cout << "# Ops\n\n"
               "Printed by `tests/docs/ops_table.cpp` from the types and the sources; a test holds this page against what it prints. Formats are those in which an op reads its\n"
               "floating operands, with f16 as the 16-bit one; bf16 is treated alike. `as given` is the format that comes in, `widest` the widest of several. What is added is\n"
               "added in f32 whatever the format, and f64, integers and bools stay what they are. The reason is why an op stands in its class: `safety` where values or gradients\n"
               "leave a 16-bit range, `speed` where 16 bits are as good, `missing kernel` where operands must share a format. An op on a tape has a backward pass by itself.\n";
  std::set<std::string> used;
  for (auto& [branch, list] : rows) {
    std::sort(list.begin(), list.end(), [](const row& a, const row& b) { return a.name < b.name; });
    std::cout << "\n## " << branch << "\n\n| op | header | reason | O0 | O1 | O2 | O3 | tape | kernels on the host | kernels on CUDA |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const row& r : list) {
      std::cout << "| `" << r.name << "` | [" << r.header << "](../include/amphora/ops/" << r.header << ")";
      for (const std::string& fact : r.facts) std::cout << " | " << fact;
      std::cout << " | " << r.tape << " | " << kernels_on(0, r.kernels) << " | " << kernels_on(1, r.kernels) << " |\n";
      used.insert(r.kernels.begin(), r.kernels.end());
    }
  }
  std::cout << "\n## Tags alone\n\nA policy answers for these too, for kernels of yours ([extending.md](extending.md)); the library has none.\n\n| class | ops | O0 | O1 | O2 | O3 |\n|---|---|---|---|---|---|\n";
  for (auto& [branch, list] : tags) {
    std::sort(list.begin(), list.end(), [](const row& a, const row& b) { return a.name < b.name; });
    std::map<strings, std::string> by_formats;
    for (const row& r : list) {
      std::string& names = by_formats[strings(r.facts.begin() + 1, r.facts.end())];
      names += (names.empty() ? "`" : " `") + r.name + "`";
    }
    for (const auto& [formats, names] : by_formats) {
      std::cout << "| " << branch << " | " << names;
      for (const std::string& each : formats) std::cout << " | " << each;
      std::cout << " |\n";
    }
  }
  std::cout << "\n## Kernels\n\n| kernels | what they do | host | CUDA |\n|---|---|---|---|\n";
  for (const std::string& name : used) {
    const auto files = families.find(name);
    const auto words = about.find(name);
    if (files == families.end() || words == about.end()) {
      complete = false, std::cerr << "the kernels " << name << " stand on one device only, or nothing is said about them in tests/docs/ops_table.cpp\n";
      continue;
    }
    std::cout << "| " << name << " | " << words->second << " | [" << files->second[0] << "](../include/amphora/host/" << files->second[0] << ") | [" << files->second[1]
              << "](../include/amphora/cuda/" << files->second[1] << ") |\n";
  }
  return complete ? 0 : 1;
}
