// Ops that add or multiply many terms into few: a low-precision sum would lose them.
#pragma once
#include <amphora/op/tree.hpp>  // sensitive

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct reduction { using parent = sensitive; using reads = roles<role::compute, role::accumulate, role::output>; };  ///< a branch
struct sum { using parent = reduction; };
struct mean { using parent = reduction; };
struct variance { using parent = reduction; };
struct standard_deviation { using parent = reduction; };
struct prod { using parent = reduction; };
struct cumsum { using parent = reduction; };
struct cumprod { using parent = reduction; };
struct logsumexp { using parent = reduction; };
struct softmax { using parent = reduction; };
struct softmin { using parent = softmax; };
struct log_softmax { using parent = reduction; };

struct norm { using parent = reduction; };  ///< an op, and the branch of its kinds
struct frobenius_norm { using parent = norm; };
struct linalg_vector_norm { using parent = norm; };
struct linalg_matrix_norm { using parent = norm; };
struct nuclear_norm { using parent = norm; static constexpr amphora::reason why = reason::missing_kernel; };  ///< singular values
struct normalize { using parent = norm; };
struct renorm { using parent = norm; };

struct dist { using parent = norm; };
struct pdist { using parent = dist; static constexpr amphora::reason why = reason::missing_kernel; };
struct cdist { using parent = dist; static constexpr amphora::reason why = reason::missing_kernel; };
struct cosine_similarity { using parent = reduction; };

}}}  // namespace amphora::op
