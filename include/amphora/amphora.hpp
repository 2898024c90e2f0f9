// The library for the host: everything but what prints and what reads and writes files.
#pragma once
#include <amphora/error.hpp>
#include <amphora/version.hpp>

#include <amphora/format/convert.hpp>
#include <amphora/format/format.hpp>
#include <amphora/format/format_id.hpp>
#include <amphora/format/format_of.hpp>
#include <amphora/format/real.hpp>
#include <amphora/format/rounding.hpp>
#include <amphora/format/storage.hpp>

#include <amphora/tensor/parameter_view.hpp>
#include <amphora/tensor/shape.hpp>
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/view.hpp>

#include <amphora/scale/kernels.hpp>
#include <amphora/scale/outcome.hpp>
#include <amphora/scale/scaled.hpp>
#include <amphora/scale/ticket.hpp>
#include <amphora/scale/unscaled.hpp>

#include <amphora/optimizer/adam.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/clip.hpp>
#include <amphora/optimizer/gradients.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/optimizer/rule.hpp>
#include <amphora/optimizer/sgd.hpp>

#include <amphora/host/context.hpp>
#include <amphora/host/level.hpp>
#include <amphora/host/scale.hpp>
