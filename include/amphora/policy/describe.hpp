// A table of what a policy or a plan says, for a person. Not part of the umbrella: it needs <ostream> and Boost.Hana.
#pragma once
#include <amphora/detail/hana.hpp>          // tuple, type, fold_left, for_each
#include <amphora/op/op.hpp>                // the classes
#include <amphora/policy/cast_count.hpp>    // on, link, cast_count_v
#include <amphora/policy/display_name.hpp>  // display_name_v
#include <amphora/policy/loss_scale.hpp>    // loss_scale_t, needs_loss_scaling_v
#include <amphora/policy/weights.hpp>       // model_t, master_t, gradient_t

#include <array>        // array
#include <cstddef>      // size_t
#include <ostream>      // ostream
#include <string>       // string
#include <type_traits>  // conditional_t, is_same_v
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

enum class table_style { text, markdown };

namespace detail {

struct no_layer { static constexpr const char* name = "-"; };
constexpr int columns = 10;
using table_row = std::array<std::string, columns>;

inline const char* name_of(reason why) {
  switch (why) {
    case reason::safety: return "safety";
    case reason::speed: return "speed";
    case reason::missing_kernel: return "missing kernel";
    default: return "-";
  }
}
/// An answer as a word; `-` for what is not read.
template <class Answer> std::string word(bool read = true) {
  if (!read || std::is_same_v<Answer, unset_t>) return "-";
  if constexpr (std::is_same_v<Answer, as_given>) return "as given";
  else if constexpr (std::is_same_v<Answer, as_computed>) return "as computed";
  else return display_name_v<Answer>;
}

/// One row; In is what comes in: a format, or void for a branch of ops, where only the policy's answers are said.
template <class Link> table_row row_of() {
  using policy = typename Link::policy;
  using op = typename Link::op;
  constexpr bool weights = reads_v<op, role::params>;
  std::string casts;
  if (Link::casts_operand) casts += std::string("in ") + display_name_v<typename Link::have> + " to " + display_name_v<typename Link::want>;
  if (Link::casts_output) casts += std::string(casts.empty() ? "" : ", ") + "out " + display_name_v<typename Link::want> + " to " + display_name_v<typename Link::stored>;
  return {display_name_v<typename Link::layer>, display_name_v<op>, word<model_t<policy, op>>(weights), word<master_t<policy, op>>(weights),
          word<gradient_t<policy, op>>(weights), word<typename Link::compute>(), word<typename Link::sum>(reads_v<op, role::accumulate>),
          word<typename Link::stored>(), name_of(reason_v<op>), casts.empty() ? "-" : casts};
}
template <class Plan, class Have, class On> struct described : link<Plan, Have, On> {
  using base = link<Plan, Have, On>;
  using compute = compute_t<typename base::policy, typename base::op, Have>;
  using sum = accumulate_t<typename base::policy, typename base::op, Have>;
};
/// A branch of the tree: what the policy says, before any input is known.
template <class Policy, class Op> struct described_branch {
  using policy = Policy;
  using layer = no_layer;
  using op = Op;
  using have = f32;
  using want = f32;
  using compute = compute_t<Policy, Op>;
  using sum = accumulate_t<Policy, Op>;
  using stored = output_t<Policy, Op>;
  static constexpr bool casts_operand = false, casts_output = false;
};

inline void write_table(std::ostream& out, const std::vector<table_row>& rows, table_style style) {
  std::array<std::size_t, columns> widths{};
  for (const table_row& row : rows)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = row[i].size() > widths[i] ? row[i].size() : widths[i];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = style == table_style::markdown ? "| " : "";
    for (std::size_t i = 0; i < columns; ++i) {
      line += rows[r][i] + std::string(widths[i] - rows[r][i].size(), ' ');
      if (style == table_style::markdown) line += i + 1 < columns ? " | " : " |";
      else if (i + 1 < columns) line += "  ";
    }
    while (line.back() == ' ') line.pop_back();
    out << line << '\n';
    if (r > 0 || style == table_style::text) continue;
    for (std::size_t i = 0; i < columns; ++i) out << (i ? "-|" : "|") << std::string(widths[i] + 1, '-');
    out << "-|\n";
  }
}
template <class T> constexpr void require_on() {
  static_assert(is_on_v<T>, "amphora [unknown-setting]: what is described is amphora::on<layer, op>, with an op of the tree");
}
template <class Scale> constexpr const char* scale_word = "dynamic";
template <> inline constexpr const char* scale_word<no_scale> = "none";
template <> inline constexpr const char* scale_word<static_scale> = "static";

}  // namespace detail

/// Writes a table: for each op of a chain its layer, the formats of its weights, of their masters and gradients, what it
/// computes in, sums in and stores, the reason for its class, and the casts in memory. Then the loss scaling, in one line.
///
/// Plan   a policy or a plan
/// On     on<layer, op>, in order; the first reads f32. Without any: the classes of the op tree under the policy, or the plan's default
/// style  text for a terminal, or markdown
/// Errors unknown-policy, unknown-setting
template <class Plan, class... On> void describe(std::ostream& out, table_style style = table_style::text) {
  namespace hana = boost::hana;
  detail::require_plan_or_policy<Plan>();
  (detail::require_on<On>(), ...);
  std::vector<detail::table_row> rows;
  rows.push_back({"layer", "op", "weights", "masters", "gradients", "compute", "sums", "output", "reason", "casts"});
  if constexpr (!(detail::is_on_v<On> && ...)) {
    return;
  } else if constexpr (sizeof...(On) > 0) {
    hana::fold_left(hana::tuple_t<On...>, hana::type_c<f32>, [&](auto have, auto on) {
      using link = detail::described<Plan, typename decltype(have)::type, typename decltype(on)::type>;
      rows.push_back(detail::row_of<link>());
      return hana::type_c<typename link::stored>;  // what the next op reads
    });
  } else {
    using policy = policy_at_t<Plan, detail::no_layer>;
    hana::for_each(hana::tuple_t<op::contraction, op::transcendental, op::reduction, op::normalization, op::batch_norm, op::loss, op::promoting, op::transparent>,
        [&](auto branch) { rows.push_back(detail::row_of<detail::described_branch<policy, typename decltype(branch)::type>>()); });
  }
  detail::write_table(out, rows, style);
  out << (style == table_style::markdown ? "\nLoss scaling: " : "loss scaling: ") << detail::scale_word<loss_scale_t<Plan>>;
  if (needs_loss_scaling_v<Plan> && std::is_same_v<loss_scale_t<Plan>, no_scale>) out << ", though small gradients become zero in these formats";
  if (sizeof...(On) > 0) out << "; casts in memory: " << cast_count_v<Plan, On...>;
  out << '\n';
}

}}  // namespace amphora
