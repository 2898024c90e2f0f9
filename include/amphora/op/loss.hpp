// Losses: logarithms and sums over a batch, and the start of the backward pass.
#pragma once
#include <amphora/op/tree.hpp>  // sensitive, forbidden

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct loss { using parent = sensitive; using reads = roles<role::compute, role::accumulate, role::output>; };  ///< a branch
struct cross_entropy { using parent = loss; };
struct nll_loss { using parent = loss; };
struct nll_loss2d { using parent = nll_loss; };
struct poisson_nll_loss { using parent = loss; };
struct gaussian_nll_loss { using parent = loss; };
struct binary_cross_entropy_with_logits { using parent = loss; };
using bce_with_logits = binary_cross_entropy_with_logits;
struct kl_div { using parent = loss; };
struct l1_loss { using parent = loss; };
struct smooth_l1_loss { using parent = loss; };
struct huber_loss { using parent = loss; };
struct mse_loss { using parent = loss; };
struct cosine_embedding_loss { using parent = loss; };
struct hinge_embedding_loss { using parent = loss; };
struct margin_ranking_loss { using parent = loss; };
struct multi_margin_loss { using parent = loss; };
struct multilabel_margin_loss { using parent = loss; };
struct soft_margin_loss { using parent = loss; };
struct triplet_margin_loss { using parent = loss; };
struct ctc_loss { using parent = loss; };

/// Its gradient is 1 / p, which leaves f16's range even where the op itself works in float: the cast is undone on the way back.
struct binary_cross_entropy { using parent = forbidden; using reads = roles<role::compute, role::accumulate, role::output>; };

}}}  // namespace amphora::op
