// The way back over a graph: which values lead to what was asked for, and in which order they come.
#pragma once
#include <amphora/autograd/record.hpp>    // producer
#include <amphora/autograd/variable.hpp>  // cell_base
#include <amphora/error.hpp>              // fail

#include <algorithm>      // push_heap, pop_heap, sort
#include <cstdint>        // uint64_t
#include <memory>         // shared_ptr, weak_ptr
#include <unordered_map>  // unordered_map
#include <utility>        // move
#include <vector>         // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// All that one pass knows of the values that it meets. It ends with the pass, however that ends.
template <class Context>
class gradient_route {
 public:
  using any_cell = std::shared_ptr<cell_base<Context>>;

  /// A value's. Its cell may end before the pass; the weak pointer keeps the address from being used again.
  struct place {
    std::weak_ptr<cell_base<Context>> cell;
    any_cell gradient;          ///< the sum so far
    bool is_found = false;
    bool is_answer = false;     ///< its own gradient was asked for
    bool is_passed_on = false;  ///< there is something behind it
    bool is_needed = false;     ///< either
    bool is_waiting = false;
  };

  /// into_leaves  whether the gradients of all leaves are asked for
  explicit gradient_route(bool into_leaves) : into_leaves_(into_leaves) {}

  /// Asks for the gradient of a value. Before find.
  void want(const any_cell& cell) {
    place& at = places_[cell.get()];
    at.cell = cell, at.is_answer = true;
  }
  /// Finds what lies behind a value. Changes nothing but what this knows.
  ///
  /// Errors  used-twice
  void find(const any_cell& value) {
    std::vector<any_cell> found, open{value}, inputs;
    while (!open.empty()) {
      const any_cell cell = std::move(open.back());
      open.pop_back();
      place& at = places_[cell.get()];
      if (at.is_found) continue;
      at.cell = cell, at.is_found = true;
      found.push_back(cell);
      if (cell->made_by) require_whole(*cell->made_by), cell->made_by->add_inputs(open);
    }
    std::sort(found.begin(), found.end(), [](const any_cell& a, const any_cell& b) { return a->depth < b->depth; });  // inputs come first
    for (const any_cell& cell : found) {
      place& at = places_[cell.get()];
      if (cell->made_by) {
        inputs.clear(), cell->made_by->add_inputs(inputs);
        at.is_passed_on = cell->made_by->reaches_more();
        for (const any_cell& input : inputs) at.is_passed_on = at.is_passed_on || places_[input.get()].is_needed;
      }
      at.is_needed = at.is_answer || at.is_passed_on || (into_leaves_ && !cell->made_by);
    }
  }
  /// Null for a value that was not found.
  const place* at(const cell_base<Context>* cell) const {
    const auto found = places_.find(cell);
    return found == places_.end() ? nullptr : &found->second;
  }
  place* at(const cell_base<Context>* cell) { return const_cast<place*>(static_cast<const gradient_route*>(this)->at(cell)); }

  /// Puts a value that has a gradient where its turn is: after all values that were made of it.
  void enqueue(const any_cell& cell) {
    place& its = *at(cell.get());
    if (its.is_waiting) return;
    its.is_waiting = true;
    queue_.push_back({cell, count_++});
    std::push_heap(queue_.begin(), queue_.end());
  }
  /// Null where none is left.
  any_cell next() {
    if (queue_.empty()) return nullptr;
    std::pop_heap(queue_.begin(), queue_.end());
    any_cell cell = std::move(queue_.back().cell);
    queue_.pop_back();
    at(cell.get())->is_waiting = false;
    return cell;
  }

  static void require_whole(const producer<Context>& made_by) {
    if (made_by.is_released())
      fail("used-twice", "backward: a pass has used this graph up, or a checkpoint uses a variable that is not among its arguments; give the pass graph::keep, or record anew");
  }

 private:
  struct waiting {
    any_cell cell;
    std::uint64_t number;  // the order among equals, so that sums have the same bits in each run
    friend bool operator<(const waiting& a, const waiting& b) { return a.cell->depth != b.cell->depth ? a.cell->depth < b.cell->depth : a.number > b.number; }
  };

  bool into_leaves_;
  std::uint64_t count_ = 0;
  std::unordered_map<const cell_base<Context>*, place> places_;
  std::vector<waiting> queue_;
};

}}}  // namespace amphora::detail
